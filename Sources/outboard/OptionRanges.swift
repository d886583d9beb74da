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

  /// The longest period, in seconds: a session reacts to commands and signals only between periods.
  private static let longestPeriodSeconds = 20.0

  /// Rejects a period that takes too long at its sample rate, in Hz; 48000 Hz if there is none.
  static func check(period: Int?, rate: Int?) throws {
    guard let period else { return }
    let seconds = Double(period) / Double(rate ?? 48_000)
    guard seconds > longestPeriodSeconds else { return }
    throw ValidationError(
      "--period \(period) takes \(NumberFormat.fixed(seconds, places: 1)) s at \(rate ?? 48_000) Hz."
        + " The limit is 20 s.")
  }
}
