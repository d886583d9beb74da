// OptionRanges.swift: ranges of options that several commands have. SPDX-License-Identifier: MIT

import ArgumentParser
import Console

/// What options can be set to.
enum OptionRanges {
  /// Ten days: more than anyone renders, little enough for any count of frames.
  static let longestSeconds = 864_000.0

  /// Refuses a length that is none, or beyond all reason.
  static func check(seconds: Double?) throws {
    guard let seconds, !(seconds > 0 && seconds <= longestSeconds) else { return }
    throw ValidationError(
      "--seconds \(NumberFormat.short(seconds)) is out of range; it goes from above 0 to 864000 s.")
  }
}
