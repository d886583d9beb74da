// OptionRanges.swift: ranges of options that several commands have. SPDX-License-Identifier: MIT

import ArgumentParser
import Console

/// What options can be set to.
enum OptionRanges {
  /// Ten days: more than anyone renders, little enough for any count of frames.
  static let longestSeconds = 864_000.0

  /// Refuses a length that is none, or beyond all reason.
  static func check(duration: Double?) throws {
    guard let duration, !(duration > 0 && duration <= longestSeconds) else { return }
    throw ValidationError(
      "--duration \(NumberFormat.short(duration)) is out of range (above 0 to 864000 s)."
    )
  }
}
