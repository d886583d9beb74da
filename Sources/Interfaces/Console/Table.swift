// Table.swift: columns under one another. SPDX-License-Identifier: MIT

/// Rows of text whose columns line up.
package struct Table {
  /// How a column is set.
  package enum Alignment: Sendable {
    /// Padded on the right.
    case left
    /// Padded on the left.
    case right
  }

  /// A column.
  package struct Column: Sendable {
    /// The heading; empty for none.
    package var title: String
    /// How it is set.
    package var alignment: Alignment
    /// Whether it is shortened where the row is too long for the terminal.
    package var canShrink: Bool

    /// A column with a heading.
    package init(_ title: String, _ alignment: Alignment = .left, canShrink: Bool = false) {
      self.title = title
      self.alignment = alignment
      self.canShrink = canShrink
    }
  }

  private static let gap = 2
  /// A column is never made narrower than this.
  private static let leastWidth = 8
  private let columns: [Column]
  private var rows: [[String]] = []

  /// A table without rows.
  package init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row with a cell for each column; control characters are spelled out.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

  /// The lines, headings first, no longer than `width` where that can be had.
  ///
  /// Where nothing can be shortened any more, the line is simply longer: an identifier that is cut
  /// is of no use, so the column that holds it should be last and not shrink.
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
        columns[$0].canShrink && widths[$0] > Self.leastWidth
      }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
      widths[widest] -= 1
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    // Blanks are held back until something follows them, so that none end the line.
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
