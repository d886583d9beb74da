// main.swift: a graph that is edited at random while it is rendered, for scripts/check-realtime. SPDX-License-Identifier: MIT
//
// The checker of the render path is preloaded, or compiled in. This program only runs all effects of an edit:
// fades, delays that are filled, tails, delayed connections, automation lanes, notes that are ended, and, in every
// other round, faulty nodes. In the other rounds, a tone must pass through all of this without a click.
// Usage: edit-check [THREADS [EDITS]]. With more than one thread, they render every block that they can
// share.

import Glibc
import GraphTestSupport

private let arguments = CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }
  .compactMap(Int.init)
private let threadCount = arguments.first ?? 1
private let editCount = arguments.dropFirst().first ?? 300
private let editsInRound = 100
/// -90 dBFS.
private let loudestClick = 3.16e-5

/// Prints an error and exits.
private func fail(_ message: String) -> Never {
  print("edit-check: \(message)")
  exit(1)
}

private var (faultCount, unusedCount, clickLevel) = (0, 0, 0.0)
private var sharedBlockCount: UInt64 = 0
for round in 0 ..< (editCount + editsInRound - 1) / editsInRound {
  let hasFaults = round % 2 == 1
  let count = min(editsInRound, editCount - round * editsInRound)
  var edits = try RandomEdits(seed: UInt64(round), threadCount: threadCount, hasFaults: hasFaults)
  for _ in 0 ..< count { try edits.next() }
  sharedBlockCount += edits.sharedBlockCount
  unusedCount += edits.unusedCount
  faultCount += edits.faultCount
  if hasFaults { continue }
  guard edits.faultCount == 0 else {
    fail("a node was at fault in round \(round), which has none.")
  }
  guard edits.loudest > 0.01 else { fail("nothing was heard in round \(round).") }
  clickLevel = max(clickLevel, edits.click.level)
  guard edits.click.level < loudestClick else {
    fail("a click of \(edits.click.level) in frame \(edits.click.frame) of round \(round).")
  }
}
guard threadCount == 1 || sharedBlockCount > 0 else {
  fail("with \(threadCount) threads no block was shared out; some have to be.")
}
guard faultCount > 0 || editCount <= editsInRound, unusedCount > 0 else {
  fail("\(faultCount) nodes were at fault, \(unusedCount) given up; neither may be 0.")
}
print(
  "\(editCount) edits, \(faultCount) nodes at fault, \(unusedCount) given up, no click above"
    + " \(Int((20 * log10(clickLevel)).rounded())) dBFS")
