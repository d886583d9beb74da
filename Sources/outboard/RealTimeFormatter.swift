// RealTimeFormatter.swift: what an audio thread was seen to do, in words and in figures. SPDX-License-Identifier: MIT

import Console
import Session

/// What `outboard run --check-realtime` says at its end.
struct RealTimeFormatter {
  private let totals: RealTimeSafetyMonitor.Totals
  private let offences: [RealTimeSafetyMonitor.Violation]
  private let seesEverySystemCall: Bool

  init(_ watch: RealTimeSafetyMonitor) {
    totals = watch.totals
    offences = watch.offences
    seesEverySystemCall = watch.seesEverySystemCall
  }

  /// The verdict, the sums, and a row for each place that offended.
  var lines: [String] {
    let blocks = "\(totals.blockCount) \(totals.blockCount == 1 ? "block" : "blocks")"
    var lines = [
      totals.offenceCount == 0
        ? "Real-time safe: in \(blocks) no allocations, frees, locks or system calls."
        : "Not real-time safe: \(totals.offenceCount) violations in \(blocks).",
      "  allocations \(totals.allocationCount), frees \(totals.freeCount), locks"
        + " \(totals.lockCount), system calls \(totals.systemCallCount)",
      "  also: waits \(totals.waitCount), preemptions \(totals.preemptionCount), page faults"
        + " \(totals.pageFaultCount)",
    ]
    if !seesEverySystemCall {
      lines.append(
        "  This kernel does not trace system calls. Only calls of known functions were recorded."
      )
    }
    guard !offences.isEmpty else { return lines }
    var table = Table([
      .init("NODE"), .init("CALLS"), .init("TIMES", .right), .init("BLOCKS", .right),
      .init("FIRST", .right), .init("WHERE", canShrink: true),
    ])
    for offence in offences {
      table.add([
        offence.node ?? "(host)", offence.function, "\(offence.callCount)",
        "\(offence.blockCount)", "\(offence.firstBlock)", offence.place ?? Self.host(offence),
      ])
    }
    return lines + table.lines(width: Terminal.error.columns)
  }

  /// Where the calling code returns to the host alone.
  private static func host(_ offence: RealTimeSafetyMonitor.Violation) -> String {
    // The compiler leaves nothing of a function on the stack whose last deed is a call.
    offence.node == nil ? "outboard itself" : "outboard itself, or a tail call of the node"
  }

  /// The same for programs.
  var figures: Figures {
    Figures(
      blocks: totals.blockCount, allocations: totals.allocationCount, frees: totals.freeCount,
      locks: totals.lockCount, systemCalls: totals.systemCallCount, waits: totals.waitCount,
      preemptions: totals.preemptionCount, pageFaults: totals.pageFaultCount,
      tracesAllSystemCalls: seesEverySystemCall,
      violations: offences.map {
        Figures.Offence(
          node: $0.node, function: $0.function, location: $0.place, calls: $0.callCount,
          blocks: $0.blockCount, firstBlock: $0.firstBlock)
      })
  }

  struct Figures: Encodable {
    struct Offence: Encodable {
      /// Nil where it was between the nodes.
      let node: String?
      let function: String
      /// Nil if it was the host itself.
      let location: String?
      let calls: Int
      let blocks: Int
      let firstBlock: Int
    }

    let blocks: Int
    let allocations: Int
    let frees: Int
    let locks: Int
    let systemCalls: Int
    let waits: Int
    let preemptions: Int
    let pageFaults: Int
    let tracesAllSystemCalls: Bool
    let violations: [Offence]
  }
}

/// The audio thread did what it must not; which and where has been said.
struct RealTimeFailure: Error, CustomStringConvertible {
  let totals: RealTimeSafetyMonitor.Totals
  var description: String {
    "\(totals.offenceCount) real-time violations on the audio thread. See the table above."
  }
}
