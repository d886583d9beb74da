// LevelLine.swift: levels and figures of a run in one line, whatever its width. SPDX-License-Identifier: MIT

/// What a line of levels shows, and what it leaves out first where the terminal is narrow.
///
/// Bars give way first, then the rest of the figures, then the units; load and xruns stay to the last.
package struct LevelLine {
  /// One direction.
  package struct Side {
    let label: String
    /// Linear.
    let peak: Double

    /// For instance `out`, and its highest level.
    package init(_ label: String, peak: Double) {
      self.label = label
      self.peak = peak
    }

    private var decibels: String { NumberFormat.decibels(linear: peak) }
    var short: String { "\(label) \(decibels)" }
    var plain: String { "\(label) \(NumberFormat.right(decibels, 6)) dB" }
    func drawn(_ width: Int) -> String {
      "\(label) \(LevelBar.text(linear: peak, width: width)) \(NumberFormat.right(decibels, 6)) dB"
    }
  }

  private static let gap = "   "
  private static let barWidths = 4 ... 30

  let sides: [Side]
  /// Load and xruns.
  let figures: [String]
  let others: [String]

  /// What there is to show, most important figures apart.
  package init(_ sides: [Side], figures: [String], others: [String]) {
    (self.sides, self.figures, self.others) = (sides, figures, others)
  }

  /// The line for a terminal of so many columns; the last one is left empty.
  package func text(columns: Int) -> String {
    let room = columns - 1
    let plain = (sides.map(\.plain) + figures + others).joined(separator: Self.gap)
    let free = (room - plain.count) / max(1, sides.count) - 1
    if free >= Self.barWidths.lowerBound {
      let width = min(Self.barWidths.upperBound, free)
      return (sides.map { $0.drawn(width) } + figures + others).joined(separator: Self.gap)
    }
    let bare = figures.map(Self.unpadded)
    let narrower = [
      plain,
      (sides.map(\.plain) + figures).joined(separator: Self.gap),
      (sides.map(\.short) + bare).joined(separator: " "),
    ]
    // What does not fit is cut at its end.
    return narrower.first { $0.count <= room }
      ?? (bare + sides.reversed().map(\.short)).joined(separator: " ")
  }

  /// Without the blanks that keep a figure in its place.
  private static func unpadded(_ figure: String) -> String {
    figure.split(separator: " ").joined(separator: " ")
  }
}
