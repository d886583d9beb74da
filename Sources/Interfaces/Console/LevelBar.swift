// LevelBar.swift: a level as a bar of text. SPDX-License-Identifier: MIT

import Glibc

/// A bar for a level in decibels, from a floor to full scale.
package enum LevelBar {
  private static let floorDecibels = -60.0

  /// A bar so many columns wide; over full scale it ends with an exclamation mark. [any]
  package static func text(linear: Double, width: Int) -> String {
    text(decibels: 20 * log10(linear), width: width)
  }

  /// A bar so many columns wide for a level in decibels of full scale; one that is not a number is
  /// shown as over full scale. [any]
  package static func text(decibels: Double, width: Int) -> String {
    guard width > 0 else { return "" }
    guard decibels <= 0 else { return String(repeating: "█", count: width - 1) + "!" }
    let share = max(0, (decibels - floorDecibels) / -floorDecibels)
    let eighths = Int((share * Double(width) * 8).rounded(.down))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return bar + String(repeating: "·", count: width - bar.count)
  }

  /// The same with a mark where a level stood highest of late; none below the floor. [any]
  package static func text(decibels: Double, held: Double, width: Int) -> String {
    var bar = Array(text(decibels: decibels, width: width))
    guard width > 0, held > floorDecibels, held <= 0, !(decibels > 0) else { return String(bar) }
    let place = Int((held - floorDecibels) / -floorDecibels * Double(width))
    bar[min(place, width - 1)] = "│"
    return String(bar)
  }
}
