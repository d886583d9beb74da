// OptionRanges.swift: ranges of options that several commands share. SPDX-License-Identifier: MIT

import ArgumentParser
import Console

/// The legal ranges of options.
enum OptionRanges {
  /// Ten days, which fits every frame counter.
  static let longestSeconds = 864_000.0

  /// The shortest file has at least one frame at every rate.
  static let shortestSeconds = 0.001

  /// Rejects a duration below 1 ms, or one that is too long.
  static func check(duration: Double?) throws {
    guard let duration, !(duration >= shortestSeconds && duration <= longestSeconds) else { return }
    // The short form of a few microseconds is 0.
    let isTooShort = duration > 0 && duration < shortestSeconds
    let text = isTooShort ? "\(duration)" : NumberFormat.short(duration)
    throw ValidationError(
      "--duration \(text) is out of range (0.001 to 864000 s)."
    )
  }
}
