// ShellLevels.swift: levels as lines. SPDX-License-Identifier: MIT

import Console
import HostModel

/// Formats levels as one line for each direction and node.
enum ShellLevels {
  /// Returns the lines.
  static func lines(_ levels: Event.Levels) -> [String] {
    let load = NumberFormat.fixed(levels.load * 100, places: 0)
    return [
      "in \(text(levels.inputPeakDBFS))", "out \(text(levels.outputPeakDBFS))",
    ] + levels.nodes.map { "\($0.name) \(text([$0.peakDBFS]))" } + [
      "load \(load) %, xruns \(levels.xruns)"
    ]
  }

  private static func text(_ peaks: [Double?]) -> String {
    peaks.map { $0.map { "\(NumberFormat.decibels($0)) dB" } ?? "silent" }.joined(separator: ", ")
  }
}
