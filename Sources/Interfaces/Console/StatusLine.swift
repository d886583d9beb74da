// StatusLine.swift: terminal lines that are updated in place. SPDX-License-Identifier: MIT

/// A few lines at the bottom of a terminal that show the latest state.
///
/// Nothing is printed if the output is not a terminal.
package struct StatusLine {
  private let terminal: Terminal
  private var shownCount = 0

  /// Creates status lines on a terminal.
  package init(_ terminal: Terminal) { self.terminal = terminal }

  /// Replaces the lines, each cut to the width of the terminal. [main]
  package mutating func show(_ lines: [String]) {
    guard let columns = terminal.columns else { return }
    let up = shownCount > 1 ? "\u{1b}[\(shownCount - 1)A" : ""
    // Each line is cleared after it is written, which avoids flicker.
    let text = lines.map {
      "\r" + $0.printable.prefix(columns: columns - 1) + "\u{1b}[K"
    }.joined(separator: "\n")
    terminal.writeRaw((shownCount > 0 ? up : "") + text + "\u{1b}[J")
    shownCount = lines.count
  }

  /// Removes the lines. [main]
  package mutating func clear() {
    guard shownCount > 0 else { return }
    let up = shownCount > 1 ? "\u{1b}[\(shownCount - 1)A" : ""
    terminal.writeRaw("\(up)\r\u{1b}[J")
    shownCount = 0
  }
}
