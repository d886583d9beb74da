// OptionRanges.swift: ranges of options that several commands share. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Manifests

/// The legal ranges of options.
enum OptionRanges {
  /// Ten days, which fits every frame counter.
  static let longestSeconds = 864_000.0

  /// The shortest file has at least one frame at every rate.
  static let shortestSeconds = 0.001

  /// The time of a search grows with its length.
  private static let longestRequestBytes = 200

  /// Rejects a request to search that is too long.
  static func check(request words: [String]) throws {
    let length = words.joined(separator: " ").utf8.count
    guard length > longestRequestBytes else { return }
    throw ValidationError(
      "The search has \(length) bytes. Use at most \(longestRequestBytes).")
  }

  /// Rejects a duration below 1 ms, or one that is too long.
  static func check(duration: TimeOption?) throws {
    try check("duration", duration, shortestSeconds ... longestSeconds)
  }

  /// Rejects a time after the input of more than a day.
  static func check(tail: TimeOption?) throws { try check("tail", tail, 0 ... 86_400) }

  /// Rejects a time outside its range in seconds.
  static func check(_ name: String, _ time: TimeOption?, _ range: ClosedRange<Double>) throws {
    guard let time, !(range ~= time.seconds) else { return }
    throw ValidationError(
      "--\(name) \(time) is out of range (\(NumberFormat.short(range.lowerBound, places: 3)) to"
        + " \(NumberFormat.short(range.upperBound)) s).")
  }
}

/// A time on the command line: `5`, `5s`, `500 ms` or `1:30`.
struct TimeOption: ExpressibleByArgument, CustomStringConvertible {
  /// Not checked: negative or not finite if the text says so.
  let seconds: Double

  /// Creates a time, for a default.
  init(seconds: Double) { self.seconds = seconds }

  /// Parses a time; a number alone is in seconds.
  init?(argument: String) {
    guard let seconds = DurationText.seconds(argument) ?? Double(argument) else { return nil }
    self.seconds = seconds
  }

  /// The seconds as a number.
  var description: String {
    // The short form of a few microseconds is 0.
    seconds != 0 && abs(seconds) < 0.001
      ? "\(seconds)" : NumberFormat.short(seconds, places: 9)
  }
}
