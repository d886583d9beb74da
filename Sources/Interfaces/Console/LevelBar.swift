// LevelBar.swift: a level as a bar of text. SPDX-License-Identifier: MIT

import Glibc

/// A bar of text for a level in decibels, from a floor to full scale.
package enum LevelBar {
  private static let floorDecibels = -60.0

  /// Returns a bar of `width` columns; above full scale it ends with an exclamation mark. [any]
  package static func text(linear: Double, width: Int) -> String {
    text(decibels: 20 * log10(linear), width: width)
  }

  /// Returns a bar of `width` columns for a level in dBFS; NaN is shown as above full scale. [any]
  package static func text(decibels: Double, width: Int) -> String {
    guard width > 0 else { return "" }
    guard decibels <= 0 else { return String(repeating: "█", count: width - 1) + "!" }
    let fraction = max(0, (decibels - floorDecibels) / -floorDecibels)
    let eighths = Int((fraction * Double(width) * 8).rounded(.down))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return bar + String(repeating: "·", count: width - bar.count)
  }

  /// Returns a bar with a mark at a peak level; there is no mark below the floor. [any]
  package static func text(decibels: Double, held: Double, width: Int) -> String {
    var bar = Array(text(decibels: decibels, width: width))
    guard width > 0, held > floorDecibels, held <= 0, !(decibels > 0) else { return String(bar) }
    let column = Int((held - floorDecibels) / -floorDecibels * Double(width))
    bar[min(column, width - 1)] = "│"
    return String(bar)
  }
}
