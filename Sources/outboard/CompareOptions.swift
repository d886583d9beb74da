// CompareOptions.swift: the options of `compare` with values in words or numbers. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Manifests
import Metering

/// `auto`, or a number of frames.
struct DelayOption: ExpressibleByArgument, CustomStringConvertible {
  /// The longest delay: ten minutes at the highest rate.
  private static let longest = 600 * 768_000
  static let automatic = DelayOption(setting: .automatic)

  let setting: ComparisonSettings.Delay

  private init(setting: ComparisonSettings.Delay) { self.setting = setting }

  init?(argument: String) {
    if argument == "auto" { self = .automatic; return }
    guard let frames = Int(argument), abs(frames) <= Self.longest else { return nil }
    setting = .frames(frames)
  }

  var description: String {
    switch setting {
    case .automatic: "auto"
    case .frames(let frames): "\(frames)"
    }
  }
}

/// The largest accepted difference.
enum Tolerance: ExpressibleByArgument, Equatable {
  /// The files have the same bits and the same length.
  case exact
  /// No sample of the difference is above this level in dBFS.
  case peak(Double)

  init?(argument: String) {
    if argument == "exact" { self = .exact; return }
    guard let level = DecibelOption(argument: argument)?.decibels, -1_000 ... 100 ~= level else {
      return nil
    }
    self = .peak(level)
  }

  /// The level in dBFS; nil if every difference counts.
  var decibels: Double? {
    guard case .peak(let level) = self else { return nil }
    return level
  }

  /// Whether a difference is accepted.
  func accepts(_ result: Comparison) -> Bool {
    switch self {
    case .exact: result.isIdentical
    case .peak: result.earliest == nil
    }
  }

  /// The text for a report.
  var text: String {
    switch self {
    case .exact: "exact"
    case .peak(let level): "\(NumberFormat.short(level)) dBFS"
    }
  }
}
