// LinkReport.swift: a line of the program outboard-link. SPDX-License-Identifier: MIT

/// The state of an Ableton Link session at one time.
///
/// The line is `state TIME QUARTERS TEMPO PLAYING CHANGE PEERS`. See `Tools/Link/README.md`.
package struct LinkReport: Sendable {
  /// The time of the position, on CLOCK_MONOTONIC in ns.
  package let time: UInt64
  /// Quarter notes since the beginning; negative before a start.
  package let quarters: Double
  /// The tempo.
  package let quartersPerMinute: Double
  /// Whether the session plays.
  package let isPlaying: Bool
  /// When the last start, stop or jump takes effect, on CLOCK_MONOTONIC in ns.
  package let changeTime: UInt64
  /// The number of other programs in the session.
  package let peerCount: Int

  /// The longest line, in bytes.
  package static let maximumBytes = 128
  /// The fields after the word `state`, in their order: a line may be 10 s old or early, and a change 300 s ahead.
  private static func ranges(_ now: Double) -> [ClosedRange<Double>] {
    [now - 10e9 ... now + 10e9, -1e9 ... 1e9, 1 ... 999, 0 ... 1, 0 ... now + 300e9, 0 ... 10_000]
  }

  /// Parses a line that arrived at a time on CLOCK_MONOTONIC, in ns; returns nil if it is invalid. [any]
  package init?(_ line: String, at now: UInt64) {
    let words = line.split(separator: " ")
    let ranges = Self.ranges(Double(now))
    guard line.utf8.count <= Self.maximumBytes, words.count == 7, words[0] == "state" else {
      return nil
    }
    // NaN and infinity are outside of any range. In the first hundred days, times are exact to the ns.
    var values: [Double] = []
    for (word, range) in zip(words.dropFirst(), ranges) {
      guard let value = Double(word), range ~= value else { return nil }
      values.append(value)
    }
    guard values[0] >= 0 else { return nil }
    (time, quarters, quartersPerMinute) = (UInt64(values[0]), values[1], values[2])
    (isPlaying, changeTime, peerCount) = (values[3] == 1, UInt64(values[4]), Int(values[5]))
  }
}
