// TapTempo.swift: the tempo of taps. SPDX-License-Identifier: MIT

/// Computes a tempo from the times of taps.
///
/// The mean of the last intervals counts, without those far from their median. An interval of two beats is a missed tap. After
/// a pause, or after two intervals in a row that agree on another tempo, a new series begins.
package struct TapTempo: Sendable {
  /// The longest interval in a series, in ns; 30 beats per minute.
  package static let pauseNanoseconds: UInt64 = 2_000_000_000
  /// A shorter interval is a bounce of the switch, in ns; 400 beats per minute.
  package static let debounceNanoseconds: UInt64 = 150_000_000
  /// The number of intervals that count.
  private static let maximumCount = 8
  /// The largest difference from the median, as a factor.
  private static let tolerance = 1.2

  private var last: UInt64?
  /// The last intervals, in ns.
  private var intervals: [Double] = []
  /// The last interval if it did not fit.
  private var outlier: Double?

  /// Creates a series without taps.
  package init() {}

  /// Adds a tap.
  ///
  /// - Parameter time: the time of the tap, in ns from any origin.
  /// - Returns: beats per minute, 30 to 400; nil after the first tap of a series, or if the tap does not count.
  package mutating func tap(at time: UInt64) -> Double? {
    guard let last, time >= last, time - last <= Self.pauseNanoseconds else {
      self = TapTempo()
      self.last = time
      return nil
    }
    guard time - last >= Self.debounceNanoseconds else { return nil }
    self.last = time
    return add(Double(time - last)).map { 60e9 / $0 }
  }

  /// Adds an interval, and returns the mean; nil if it does not count.
  private mutating func add(_ interval: Double) -> Double? {
    var counted = interval
    if let median, !Self.agree(interval, median) {
      if let outlier, Self.agree(interval, outlier) {
        intervals = [outlier, interval]
        self.outlier = nil
        return (outlier + interval) / 2
      }
      outlier = interval
      guard Self.agree(interval, 2 * median) else { return nil }
      counted = interval / 2
    } else {
      outlier = nil
    }
    intervals.append(counted)
    if intervals.count > Self.maximumCount { intervals.removeFirst() }
    guard let median else { return nil }
    let near = intervals.filter { Self.agree($0, median) }
    return near.reduce(0, +) / Double(near.count)
  }

  private var median: Double? {
    intervals.isEmpty ? nil : intervals.sorted()[intervals.count / 2]
  }

  private static func agree(_ one: Double, _ other: Double) -> Bool {
    one <= other * tolerance && other <= one * tolerance
  }
}
