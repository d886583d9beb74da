// ThreadArguments.swift: the number of render threads. SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc
import RigSchema

/// The option for the number of render threads.
struct ThreadArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Maximum render threads. (default: CPU count)", valueName: "count"))
  var threads: Int?

  private static let counts = 1 ... 64

  func validate() throws {
    guard let threads, !(Self.counts ~= threads) else { return }
    throw ValidationError(
      "--threads \(threads) is out of range (\(Self.counts.lowerBound) to"
        + " \(Self.counts.upperBound)).")
  }

  /// The legal numbers of threads.
  var limit: Int { threads ?? ProcessInfo.processInfo.activeProcessorCount }

  func apply(to rig: inout RigDescription) {
    rig.threadCount = threads ?? rig.threadCount
  }
}
