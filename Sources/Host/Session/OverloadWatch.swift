// OverloadWatch.swift: what to do where the nodes take more time than there is. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials

/// Notices that sound is lost because nodes take too much time, has them measured, and says what would help, once.
struct OverloadWatch {
  /// A node, and the share of the period that it takes in the mean.
  struct Cost: Equatable {
    var name: String
    var plugin: String
    var mean: Double
  }

  /// What was measured of whole periods.
  struct Load: Equatable {
    /// Shares of the period.
    var mean: Double
    var worst: Double
    var periodFrames: Int
  }

  /// Above this a graph takes so much time that it is to blame for lost sound.
  private static let highShare = 0.9
  /// What a period that holds leaves free.
  private static let holdingShare = 0.8
  /// The longest period that is worth a proposal, in frames.
  private static let longestPeriod = 8_192
  /// How long the load is measured, in seconds: longer than the guard takes to find a slow node.
  private static let measuringSeconds = 2.0

  private var xrunCount = 0
  private var meanSum = 0.0
  private var worst = 0.0
  private var reports = 0
  /// When measuring began, in seconds of the system's uptime.
  private var began = 0.0
  private var isSaid = false
  private var skipsReport = false

  /// Whether nodes are being measured for it.
  var isMeasuring: Bool { reports > 0 }

  /// Takes note of a report, at `now` in seconds of the system's uptime; whether it is time to ask what each node
  /// costs.
  mutating func note(
    xrunCount count: Int, mean: Double, worst highest: Double, at now: Double
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
    worst = max(worst, highest)
    return now - began >= Self.measuringSeconds
  }

  /// Discards the measured load and that of the next report: the guard has found the node that caused it, and
  /// bypasses the node.
  mutating func discard() {
    (reports, meanSum, worst) = (0, 0, 0)
    skipsReport = true
  }

  /// The sentence, once the time has come; nil where nothing is wrong any more.
  mutating func sentence(periodFrames: Int, _ costs: [Cost]) -> String? {
    let load = Load(mean: meanSum / Double(reports), worst: worst, periodFrames: periodFrames)
    (reports, meanSum, worst) = (0, 0, 0)
    guard load.worst > Self.highShare, let most = costs.max(by: { $0.mean < $1.mean }) else {
      return nil
    }
    isSaid = true
    return Self.sentence(load, most)
  }

  static func sentence(_ load: Load, _ most: Cost) -> String {
    let what =
      "The nodes use \(percent(load.mean)) % of each period of \(load.periodFrames) frames,"
      + " \(percent(load.worst)) % at worst. This causes dropouts. \(most.name)"
      + " (\(most.plugin)) uses the most, \(percent(most.mean)) %."
    guard let frames = holdingPeriod(load) else {
      return what
        + " Try --period \(2 * load.periodFrames) or remove the node. A longer period helps only"
        + " if the cost is per block."
    }
    return what + " A period of \(frames) frames is enough (--period \(frames))."
  }

  /// The shortest period, as a power of two, in which the mean and the longest delay so far find room; nil where none
  /// does.
  static func holdingPeriod(_ load: Load) -> Int? {
    guard load.mean < holdingShare else { return nil }
    let needed =
      (load.worst - load.mean) * Double(load.periodFrames) / (holdingShare - load.mean)
    var frames = 1
    while frames <= load.periodFrames || Double(frames) < needed { frames *= 2 }
    return frames <= longestPeriod ? frames : nil
  }

  private static func percent(_ share: Double) -> Int { Int((share * 100).rounded()) }
}

extension LiveSession {
  /// Says what would help where sound is lost because nodes take too much time.
  func seeToOverload(mean: Double, worst: Double) {
    guard stream.keepsPace else { return }
    let wasMeasuring = overload.isMeasuring
    let isDue = overload.note(
      xrunCount: driver.status.xrunCount, mean: mean, worst: worst,
      at: ProcessInfo.processInfo.systemUptime)
    if overload.isMeasuring, !wasMeasuring { _ = nodeLoads() }
    guard isDue else { return }
    let costs = nodeLoads().map {
      OverloadWatch.Cost(name: $0.name, plugin: $0.plugin, mean: $0.mean)
    }
    if let sentence = overload.sentence(periodFrames: stream.periodFrames, costs) {
      notices.append(sentence)
    }
  }
}
