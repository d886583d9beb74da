// ThreadArguments.swift: how many threads render. SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc
import Rig

/// How many processors the graph may use.
struct ThreadArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Render branches, or files, side by side on up to so many threads; 1 for one alone. As many as there are"
        + " processors if left out. The sound is the same.", valueName: "n"))
  var threads: Int?

  private static let counts = 1 ... 64

  func validate() throws {
    guard let threads, !(Self.counts ~= threads) else { return }
    throw ValidationError(
      "--threads \(threads) is out of range; it goes from \(Self.counts.lowerBound) to"
        + " \(Self.counts.upperBound).")
  }

  /// How many may render at once.
  var limit: Int { threads ?? ProcessInfo.processInfo.activeProcessorCount }

  func apply(to rig: inout RigDescription) {
    rig.threadCount = threads ?? rig.threadCount
  }
}
