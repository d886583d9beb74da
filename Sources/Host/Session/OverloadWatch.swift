// OverloadWatch.swift: advice for graphs that exceed the CPU time. SPDX-License-Identifier: MIT

import FoundationEssentials

/// Detects dropouts that are caused by slow nodes, measures the nodes and reports a solution, once.
struct OverloadWatch {
  /// A node and its mean load as a fraction of the period.
  struct Cost: Equatable {
    var name: String
    var plugin: String
    var mean: Double
  }

  /// The measured load of whole periods.
  struct Load: Equatable {
    /// Fractions of the period.
    var mean: Double
    var maximum: Double
    var periodFrames: Int
  }

  /// The load above which the graph is considered the cause of dropouts.
  private static let highShare = 0.9
  /// The reserve of a recommended period.
  private static let holdingShare = 0.8
  /// The longest period to recommend, in frames.
  private static let longestPeriod = 8_192
  /// The duration of the measurement, in seconds, which exceeds the reaction time of overload protection.
  private static let measuringSeconds = 2.0

  private var xrunCount = 0
  private var meanSum = 0.0
  private var maximum = 0.0
  private var reports = 0
  /// The start of the measurement, in seconds of system uptime.
  private var began = 0.0
  private var isSaid = false
  private var skipsReport = false

  /// Whether the nodes are being measured.
  var isMeasuring: Bool { reports > 0 }

  /// Processes a report at `now` (seconds of system uptime).
  ///
  /// Returns whether the node loads are needed now.
  mutating func record(
    xrunCount count: Int, mean: Double, maximum highest: Double, at now: Double
  ) -> Bool {
    let isNew = count > xrunCount
    xrunCount = count
    guard !skipsReport else {
      skipsReport = false
      return false
    }
    guard !isSaid, isMeasuring || (isNew && highest > Self.highShare) else { return false }
    if !isMeasuring { began = now }
    reports += 1
    meanSum += mean
    maximum = max(maximum, highest)
    return now - began >= Self.measuringSeconds
  }

  /// Discards the measured load and the next report, because overload protection has bypassed the node that caused
  /// it.
  mutating func discard() {
    (reports, meanSum, maximum) = (0, 0, 0)
    skipsReport = true
  }

  /// Returns the message when the measurement is complete; nil if there is no overload any more.
  mutating func message(periodFrames: Int, _ costs: [Cost]) -> String? {
    let load = Load(mean: meanSum / Double(reports), maximum: maximum, periodFrames: periodFrames)
    (reports, meanSum, maximum) = (0, 0, 0)
    guard load.maximum > Self.highShare, let most = costs.max(by: { $0.mean < $1.mean }) else {
      return nil
    }
    isSaid = true
    return Self.message(load, most)
  }

  static func message(_ load: Load, _ most: Cost) -> String {
    let what =
      "The nodes use \(percent(load.mean)) % of each period of \(load.periodFrames) frames,"
      + " \(percent(load.maximum)) % at worst. This causes dropouts. \(most.name)"
      + " (\(most.plugin)) uses the most, \(percent(most.mean)) %."
    guard let frames = holdingPeriod(load) else {
      return what
        + " Try --period \(2 * load.periodFrames) or remove the node. A longer period helps only"
        + " if the cost is per block."
    }
    return what + " A period of \(frames) frames is enough (--period \(frames))."
  }

  /// Returns the shortest period (a power of two) that has room for the mean load and the longest delay; nil if none
  /// has.
  static func holdingPeriod(_ load: Load) -> Int? {
    guard load.mean < holdingShare else { return nil }
    let needed =
      (load.maximum - load.mean) * Double(load.periodFrames) / (holdingShare - load.mean)
    var frames = 1
    while frames <= load.periodFrames || Double(frames) < needed { frames *= 2 }
    return frames <= longestPeriod ? frames : nil
  }

  private static func percent(_ share: Double) -> Int { Int((share * 100).rounded()) }
}
