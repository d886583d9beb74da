// AnalysisFormatter.swift: analyser reports as text. SPDX-License-Identifier: MIT

import Builtins
import Console

/// The levels and the spectrum of one analyser as text.
struct AnalysisFormatter {
  private static let bandWidth = 6
  let name: String
  let report: AnalyserReport

  /// Returns three lines that fit 80 columns: the levels, and the bands in two rows.
  var lines: [String] {
    let margin = String(repeating: " ", count: 4)
    let labels = report.bands.map { NumberFormat.right(label($0.centreHz), Self.bandWidth) }
    let levels = report.bands.map { NumberFormat.right(level($0.decibels), Self.bandWidth) }
    return [
      "\(name)   \(summary)", "\(margin)Hz\(labels.joined())", "\(margin)dB\(levels.joined())",
    ]
  }

  /// Returns one line of any length, for files and programs.
  var line: String {
    let bands = report.bands.map { "\(label($0.centreHz)) Hz \(level($0.decibels))" }
    return "\(name): \(summary), bands in dB: \(bands.joined(separator: ", "))"
  }

  private var summary: String {
    let tone = report.strongestHz.map { "\(NumberFormat.fixed($0, places: 1)) Hz" } ?? "none"
    return "rms \(both(report.rmsDecibels)), peak \(both(report.peakDecibels)), strongest \(tone)"
  }

  private func both(_ decibels: [Double]) -> String {
    decibels.map { NumberFormat.decibels($0) }.joined(separator: " / ") + " dB"
  }

  /// Returns a level in dB, or -inf below -150 dB (the noise of 24 bits).
  private func level(_ decibels: Double) -> String {
    decibels < -150 ? "-inf" : NumberFormat.fixed(decibels, places: 0)
  }

  private func label(_ hertz: Double) -> String {
    hertz >= 1_000 ? "\(NumberFormat.short(hertz / 1_000))k" : NumberFormat.short(hertz)
  }
}
