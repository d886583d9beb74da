// FeedbackFormatter.swift: what the howl guard did, in words. SPDX-License-Identifier: MIT

import Builtins
import Console

/// One report of the howl guard, for people and for programs.
struct FeedbackFormatter {
  private let report: FeedbackEvent

  init(_ report: FeedbackEvent) { self.report = report }

  /// A line such as `feedback at 1240 Hz: notched 36 dB`; nil for a tone that was ignored.
  var line: String? {
    let depth = "\(NumberFormat.fixed(Double(report.depthDecibels), places: 0)) dB"
    switch report.action {
    case .notched: return "feedback at \(hertz): notched \(depth)"
    case .ducked: return "feedback at many frequencies: output ducked by \(depth)"
    case .released: return "feedback at \(hertz) ended: notch released"
    case .leftAlone: return nil
    }
  }

  private var hertz: String { "\(NumberFormat.fixed(Double(report.frequencyHz), places: 0)) Hz" }
}
