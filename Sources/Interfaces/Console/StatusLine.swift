// StatusLine.swift: lines that are written over again and again. SPDX-License-Identifier: MIT

/// A few lines at the bottom of a terminal that always show the latest state.
///
/// Nothing is shown where nobody is looking.
package struct StatusLine {
  private let terminal: Terminal
  private var shownCount = 0

  /// Lines on a terminal.
  package init(_ terminal: Terminal) { self.terminal = terminal }

  /// Replaces what was shown by other lines, each cut to the terminal's width. [main]
  package mutating func show(_ lines: [String]) {
    guard let columns = terminal.columns else { return }
    let up = shownCount > 1 ? "\u{1b}[\(shownCount - 1)A" : ""
    // Clearing to the end of each line only as it is written keeps the picture from flickering.
    let text = lines.map {
      "\r" + $0.printable.prefix(columns: columns - 1) + "\u{1b}[K"
    }.joined(separator: "\n")
    terminal.writeRaw((shownCount > 0 ? up : "") + text + "\u{1b}[J")
    shownCount = lines.count
  }

  /// Removes what was shown. [main]
  package mutating func clear() {
    guard shownCount > 0 else { return }
    let up = shownCount > 1 ? "\u{1b}[\(shownCount - 1)A" : ""
    terminal.writeRaw("\(up)\r\u{1b}[J")
    shownCount = 0
  }
}
