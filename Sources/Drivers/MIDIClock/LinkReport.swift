// LinkReport.swift: a line of the program outboard-link. SPDX-License-Identifier: MIT

/// The state of an Ableton Link session at one time.
///
/// The line is `state TIME QUARTERS TEMPO PLAYING CHANGE PEERS`. See `Tools/Link/README.md`.
package struct LinkReport: Sendable, Equatable {
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
  /// The tempos of `TransportSettings`.
  private static let tempos = 1.0 ... 999.0
  private static let positions = -1e9 ... 1e9
  /// A line may be this old or early, in ns.
  private static let maximumAge: Int64 = 10_000_000_000
  /// A change may be this far in the future, in ns: a bar of 64 slow beats.
  private static let maximumWait: Int64 = 300_000_000_000

  /// Parses a line that arrived at a time on CLOCK_MONOTONIC, in ns; returns nil if it is invalid. [any]
  package init?(_ line: String, at now: UInt64) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard line.utf8.count <= Self.maximumBytes, words.count == 7, words[0] == "state",
      let time = UInt64(words[1]), let quarters = Double(words[2]),
      let tempo = Double(words[3]), ["0", "1"].contains(words[4]),
      let change = UInt64(words[5]), let peers = Int(words[6]), peers >= 0
    else { return nil }
    let age = Int64(bitPattern: now &- time)
    let wait = Int64(bitPattern: change &- now)
    // NaN and infinity are outside of any range.
    guard Self.positions ~= quarters, Self.tempos ~= tempo, time <= Int64.max, change <= Int64.max,
      -Self.maximumAge ... Self.maximumAge ~= age, wait <= Self.maximumWait
    else { return nil }
    (self.time, self.quarters, quartersPerMinute) = (time, quarters, tempo)
    (isPlaying, changeTime, peerCount) = (words[4] == "1", change, peers)
  }
}
