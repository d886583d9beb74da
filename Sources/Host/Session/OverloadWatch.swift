// OverloadWatch.swift: advice for graphs that exceed the CPU time. SPDX-License-Identifier: MIT

import HostModel

/// Detects dropouts that are caused by slow nodes, measures the nodes and finds what would be enough.
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

  /// The effect that more render threads would have.
  struct Threads: Equatable {
    /// The number of threads that may render.
    var limit: Int
    /// The number of processors.
    var processors: Int
    /// The mean load of the path of nodes that costs most, as a fraction of the period.
    var longestPath: Double
  }

  /// The load above which the graph is considered the cause of dropouts.
  private static let highLoad = 0.9
  /// The reserve of what is recommended.
  private static let holdingLoad = 0.8
  /// The longest period to recommend, in frames.
  private static let longestPeriod = 8_192
  /// The duration of the measurement, in seconds, which exceeds the reaction time of overload protection.
  private static let measuringSeconds = 2.0
  /// How long an overload is shown after the last dropout, and the time between measurements, in seconds.
  private static let showingSeconds = 10.0
  /// The number of reports with a high load that is an overload: other programs can delay a single block of any graph.
  private static let overloadedReportCount = 2

  private var xrunCount = 0
  private var meanSum = 0.0
  private var maximum = 0.0
  private var reports = 0
  /// The reports with a high load.
  private var overloadedReports = 0
  /// The start of the measurement, in seconds of system uptime.
  private var began = 0.0
  /// When a measurement ended last.
  private var ended = -Double.infinity
  /// When the last dropout was.
  private var lastDropout = -Double.infinity
  private var skipsReport = false
  /// The nodes that were reported as those that cost most.
  private var reported: Set<String> = []
  /// The result of the last measurement; nil if there was no overload.
  private(set) var advice: OverloadAdvice?

  /// Whether the nodes are being measured.
  var isMeasuring: Bool { reports > 0 }

  /// Returns the advice while dropouts continue, at `now` (seconds of system uptime).
  func advice(at now: Double) -> OverloadAdvice? {
    now - lastDropout < Self.showingSeconds ? advice : nil
  }

  /// Processes a report at `now` (seconds of system uptime).
  ///
  /// Returns whether the node loads are needed now.
  mutating func record(
    xrunCount count: Int, mean: Double, maximum highest: Double, at now: Double
  ) -> Bool {
    let isNew = count > xrunCount
    xrunCount = count
    if isNew { lastDropout = now }
    guard !skipsReport else {
      skipsReport = false
      return false
    }
    let isDue = isNew && highest > Self.highLoad && now - ended >= Self.showingSeconds
    guard isMeasuring || isDue else { return false }
    if !isMeasuring { began = now }
    reports += 1
    if highest > Self.highLoad { overloadedReports += 1 }
    meanSum += mean
    maximum = max(maximum, highest)
    guard now - began >= Self.measuringSeconds else { return false }
    ended = now
    return true
  }

  /// Discards the measured load and the next report, because overload protection has bypassed the node that caused
  /// it.
  mutating func discard() {
    (reports, overloadedReports, meanSum, maximum, advice) = (0, 0, 0, 0, nil)
    skipsReport = true
  }

  /// Completes the measurement; returns whether the advice is to be reported, once for each node.
  mutating func conclude(periodFrames: Int, _ costs: [Cost], _ threads: Threads) -> Bool {
    let load = Load(mean: meanSum / Double(reports), maximum: maximum, periodFrames: periodFrames)
    let isOverloaded = overloadedReports >= Self.overloadedReportCount
    (reports, overloadedReports, meanSum, maximum) = (0, 0, 0, 0)
    guard isOverloaded, let costliest = costs.max(by: { $0.mean < $1.mean }) else {
      advice = nil
      return false
    }
    advice = Self.advice(load, costliest, threads)
    return reported.insert(costliest.name).inserted
  }

  static func advice(_ load: Load, _ costliest: Cost, _ threads: Threads) -> OverloadAdvice {
    OverloadAdvice(
      mean: load.mean, maximum: load.maximum, periodFrames: load.periodFrames, node: costliest.name,
      plugin: costliest.plugin, share: costliest.mean, enoughPeriodFrames: holdingPeriod(load),
      enoughThreads: holdingThreads(load, threads),
      isBypassEnough: load.mean - costliest.mean < holdingLoad
        && decidingLoad(load) - costliest.mean < highLoad)
  }

  /// Returns the load that must become smaller: the mean if it is too high, because other programs can cause a higher
  /// maximum; otherwise the maximum.
  private static func decidingLoad(_ load: Load) -> Double {
    load.mean > highLoad ? load.mean : load.maximum
  }

  /// Returns the shortest period (a power of two) that has room for the mean load and the longest delay; nil if none
  /// has.
  static func holdingPeriod(_ load: Load) -> Int? {
    guard load.mean < holdingLoad else { return nil }
    let needed =
      (load.maximum - load.mean) * Double(load.periodFrames) / (holdingLoad - load.mean)
    var frames = 1
    while frames <= load.periodFrames || Double(frames) < needed { frames *= 2 }
    return frames <= longestPeriod ? frames : nil
  }

  /// Returns the smallest number of threads, above the present limit, that has room for the load; nil if none has.
  ///
  /// Threads shorten a block at most to its longest path.
  static func holdingThreads(_ load: Load, _ threads: Threads) -> Int? {
    guard threads.limit < threads.processors, threads.longestPath < holdingLoad else {
      return nil
    }
    return (threads.limit + 1 ... threads.processors).first {
      max(threads.longestPath, decidingLoad(load) / Double($0)) < holdingLoad
    }
  }
}
