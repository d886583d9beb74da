// LevelLine.swift: the status line of a session, for any terminal width. SPDX-License-Identifier: MIT

/// The content of the status line, and the order in which parts are dropped on a narrow terminal.
///
/// Bars are dropped first, then other values, then units. Load and xruns are dropped last.
package struct LevelLine {
  /// The level of one direction.
  package struct Side {
    let label: String
    /// The linear peak.
    let peak: Double

    /// Creates a level, such as that of `out`.
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
  let values: [String]
  let others: [String]

  /// Creates a status line; the most important values are separate.
  package init(_ sides: [Side], values: [String], others: [String]) {
    (self.sides, self.values, self.others) = (sides, values, others)
  }

  /// Returns the line for a terminal of `columns`; the last column stays empty.
  package func text(columns: Int) -> String {
    let room = columns - 1
    let plain = (sides.map(\.plain) + values + others).joined(separator: Self.gap)
    let free = (room - plain.count) / max(1, sides.count) - 1
    if free >= Self.barWidths.lowerBound {
      let width = min(Self.barWidths.upperBound, free)
      return (sides.map { $0.drawn(width) } + values + others).joined(separator: Self.gap)
    }
    let bare = values.map(Self.unpadded)
    let narrower = [
      plain,
      (sides.map(\.plain) + values).joined(separator: Self.gap),
      (sides.map(\.short) + bare).joined(separator: " "),
    ]
    // Cut the end if it does not fit.
    return narrower.first { $0.count <= room }
      ?? (bare + sides.reversed().map(\.short)).joined(separator: " ")
  }

  /// Removes the padding of values.
  private static func unpadded(_ value: String) -> String {
    value.split(separator: " ").joined(separator: " ")
  }
}
