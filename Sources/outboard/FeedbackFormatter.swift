// FeedbackFormatter.swift: what the howl guard did, in words. SPDX-License-Identifier: MIT

import Builtins
import Console

/// One report of the howl guard, for people and for programs.
struct FeedbackFormatter {
  private let report: FeedbackEvent

  init(_ report: FeedbackEvent) { self.report = report }

  /// For instance `howl at 1240 Hz: notched 36 dB`; nil for what nobody needs to see: a tone that was
  /// tried and left alone.
  var line: String? {
    let depth = "\(NumberFormat.fixed(Double(report.depthDecibels), places: 0)) dB"
    switch report.action {
    case .notched: return "howl at \(hertz): notched \(depth)"
    case .ducked: return "howl of many tones: the output is turned down by \(depth)"
    case .released: return "howl at \(hertz) is over: the notch is taken away"
    case .leftAlone: return nil
    }
  }

  /// One word for programs.
  var word: String {
    switch report.action {
    case .notched: "notched"
    case .ducked: "ducked"
    case .released: "released"
    case .leftAlone: "left-alone"
    }
  }

  private var hertz: String { "\(NumberFormat.fixed(Double(report.frequencyHz), places: 0)) Hz" }
}
