// FeedbackFormatter.swift: messages of feedback suppression. SPDX-License-Identifier: MIT

import Builtins
import Console

/// Formats one report of feedback suppression for people and programs.
struct FeedbackFormatter {
  private let report: FeedbackEvent

  init(_ report: FeedbackEvent) { self.report = report }

  /// Returns a line such as `feedback at 1240 Hz: notched 36 dB`; nil for an ignored tone.
  var line: String? {
    let depth = "\(NumberFormat.fixed(Double(report.depthDecibels), places: 0)) dB"
    switch report.action {
    case .notched: return "feedback at \(hertz): notched \(depth)"
    case .ducked: return "feedback at many frequencies: output ducked by \(depth)"
    case .released: return "feedback at \(hertz) ended: notch released"
    case .ignored: return nil
    }
  }

  private var hertz: String { "\(NumberFormat.fixed(Double(report.frequencyHz), places: 0)) Hz" }
}
