// OptionRanges.swift: ranges of options that several commands share. SPDX-License-Identifier: MIT

import ArgumentParser
import Console

/// The legal ranges of options.
enum OptionRanges {
  /// Ten days, which fits every frame counter.
  static let longestSeconds = 864_000.0

  /// Rejects a duration that is not above 0 or that is too long.
  static func check(duration: Double?) throws {
    guard let duration, !(duration > 0 && duration <= longestSeconds) else { return }
    throw ValidationError(
      "--duration \(NumberFormat.short(duration)) is out of range (above 0 to 864000 s)."
    )
  }
}
