// Table.swift: text tables. SPDX-License-Identifier: MIT

/// A table of text with aligned columns.
package struct Table {
  /// The alignment of a column.
  package enum Alignment: Sendable {
    /// Left-aligned.
    case left
    /// Right-aligned.
    case right
  }

  /// A column.
  package struct Column: Sendable {
    /// The heading; empty for none.
    package var title: String
    /// The alignment.
    package var alignment: Alignment
    /// Whether the column may be shortened if a row is too long for the terminal.
    package var canShrink: Bool

    /// Creates a column with a heading.
    package init(_ title: String, _ alignment: Alignment = .left, canShrink: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.canShrink = canShrink
    }
  }

  private static let gap = 2
  /// The minimum width of a column.
  private static let minimumWidth = 8
  private let columns: [Column]
  private var rows: [[String]] = []

  /// Creates a table without rows.
  package init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with one cell per column; control characters are escaped.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

  /// Returns the lines, headings first, no longer than `width` if possible.
  ///
  /// If no column can be shortened further, lines are longer than `width`. A cut identifier is useless, so its column
  /// must be the last one and not shrink.
  package func lines(width: Int?) -> [String] {
    let titles = columns.map(\.title)
    let hasTitles = titles.contains { !$0.isEmpty }
    let all = (hasTitles ? [titles] : []) + rows
    var widths = columns.indices.map { column in all.map { $0[column].columnCount }.max() ?? 0 }
    if let width { shrink(&widths, to: width) }
    return all.map { line($0, widths) }
  }

  private func shrink(_ widths: inout [Int], to width: Int) {
    while widths.reduce(0, +) + Self.gap * (widths.count - 1) > width {
      let candidates = columns.indices.filter {
        columns[$0].canShrink && widths[$0] > Self.minimumWidth
      }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    // Spaces are added before the next cell, so that no line ends with them.
    var blanks = 0
    for (index, cell) in cells.enumerated() {
      let length = cell.columnCount
      let isCut = length > widths[index]
      let text = isCut ? cell.prefix(columns: widths[index] - 1) + "…" : cell[...]
      let padding = max(0, widths[index] - (isCut ? text.columnCount : length))
      if columns[index].alignment == .right { blanks += padding }
      if !text.isEmpty {
        line += String(repeating: " ", count: blanks)
        blanks = 0
        line += text
      }
      if columns[index].alignment == .left { blanks += padding }
      blanks += Self.gap
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
