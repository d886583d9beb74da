// TickRegression.swift: a straight line through the times of clock ticks. SPDX-License-Identifier: MIT

/// The least-squares line through the last ticks of a clock.
///
/// At a constant tempo, it is the estimate with the smallest error for any jitter of the same size on all ticks. After a
/// change of tempo, the ticks before it are dropped: three quarters of the window are dropped until the last ticks are on the line. So the
/// window is long for a steady clock, and short while the tempo moves. Times are in ns from any origin.
struct TickRegression {
  /// Eight seconds at 120 beats per minute.
  static let maximumCount = 384
  /// With fewer ticks the period of the line before is more exact.
  static let minimumFreeCount = 12

  /// The last ticks: their numbers, which may have gaps, and their times.
  private(set) var ticks: [(index: Int, time: Double)] = []
  /// The time of the last tick on the line.
  private(set) var lastTime = 0.0
  /// The time between ticks.
  private(set) var period: Double
  /// The standard deviation of a tick.
  private(set) var deviation = 0.0
  /// With fewer ticks the period is not changed.
  private let freeCount: Int

  /// Creates a line without ticks that keeps a period until there are enough ticks.
  init(period: Double) {
    self.period = period
    freeCount = Self.minimumFreeCount
  }

  /// Creates a line through at least two ticks, whose numbers differ.
  init(_ ticks: [(index: Int, time: Double)]) {
    self.ticks = ticks
    period = 0
    freeCount = 2
    fit()
  }

  var count: Int { ticks.count }

  /// Returns the time of a tick on the line; there must be ticks.
  func time(of index: Int) -> Double {
    lastTime + Double(index - ticks[ticks.count - 1].index) * period
  }

  /// Adds a tick, whose number is higher than all before it.
  mutating func add(_ index: Int, _ time: Double) {
    ticks.append((index, time))
    if ticks.count > Self.maximumCount { ticks.removeFirst() }
    fit()
    while ticks.count > Self.minimumFreeCount, isBent {
      ticks.removeFirst(ticks.count - max(Self.minimumFreeCount, ticks.count / 4))
      fit()
    }
  }

  // MARK: - The line

  private mutating func fit() {
    guard let last = ticks.last else { return }
    var (indexSum, timeSum) = (0.0, 0.0)
    for tick in ticks {
      indexSum += Double(tick.index - last.index)
      timeSum += tick.time - last.time
    }
    let count = Double(ticks.count)
    let (indexMean, timeMean) = (indexSum / count, timeSum / count)
    if ticks.count >= freeCount {
      var (product, square) = (0.0, 0.0)
      for tick in ticks {
        let index = Double(tick.index - last.index) - indexMean
        product += index * (tick.time - last.time - timeMean)
        square += index * index
      }
      if square > 0 { period = product / square }
    }
    lastTime = last.time + timeMean - indexMean * period
    findDeviation()
  }

  /// Uses the differences of neighbours, so that a bent line does not count as jitter.
  private mutating func findDeviation() {
    guard ticks.count > 2 else { return }
    var sum = 0.0
    var before = residual(0)
    for index in 1 ..< ticks.count {
      let residual = residual(index)
      sum += (residual - before) * (residual - before)
      before = residual
    }
    deviation = (sum / Double(2 * (ticks.count - 1))).squareRoot()
  }

  private func residual(_ index: Int) -> Double { ticks[index].time - time(of: ticks[index].index) }

  /// Whether the last ticks are systematically beside the line, by more than four standard deviations of their mean.
  ///
  /// Less than `tolerance` is not worth a shorter window: it may be a clock in steps of a millisecond, as of USB.
  private var isBent: Bool {
    [(count: 4, tolerance: 1.2e6), (count: 12, tolerance: 0.6e6)].contains { test in
      guard ticks.count >= 2 * test.count else { return false }
      var sum = 0.0
      for index in ticks.count - test.count ..< ticks.count { sum += residual(index) }
      let mean = abs(sum) / Double(test.count)
      return mean > max(test.tolerance, 4 * deviation / Double(test.count).squareRoot())
    }
  }
}
