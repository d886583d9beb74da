// TapTempo.swift: the tempo of taps. SPDX-License-Identifier: MIT

/// Computes a tempo from the times of taps.
///
/// The mean of the last distances counts, without those far from their median. A distance of two beats is a missed tap. After
/// a pause, or after two distances in a row that agree on another tempo, a new series begins.
package struct TapTempo: Sendable {
  /// The longest distance in a series, in ns; 30 beats per minute.
  package static let pauseNanoseconds: UInt64 = 2_000_000_000
  /// A shorter distance is a bounce of the switch, in ns; 400 beats per minute.
  package static let debounceNanoseconds: UInt64 = 150_000_000
  /// The number of distances that count.
  private static let maximumCount = 8
  /// The largest difference from the median, as a factor.
  private static let tolerance = 1.2

  private var last: UInt64?
  /// The last distances, in ns.
  private var distances: [Double] = []
  /// The last distance if it did not fit.
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

  /// Adds a distance, and returns the mean; nil if it does not count.
  private mutating func add(_ distance: Double) -> Double? {
    var counted = distance
    if let median, !Self.agree(distance, median) {
      if let outlier, Self.agree(distance, outlier) {
        distances = [outlier, distance]
        self.outlier = nil
        return (outlier + distance) / 2
      }
      outlier = distance
      guard Self.agree(distance, 2 * median) else { return nil }
      counted = distance / 2
    } else {
      outlier = nil
    }
    distances.append(counted)
    if distances.count > Self.maximumCount { distances.removeFirst() }
    guard let median else { return nil }
    let near = distances.filter { Self.agree($0, median) }
    return near.reduce(0, +) / Double(near.count)
  }

  private var median: Double? {
    distances.isEmpty ? nil : distances.sorted()[distances.count / 2]
  }

  private static func agree(_ one: Double, _ other: Double) -> Bool {
    one <= other * tolerance && other <= one * tolerance
  }
}
