// ScreenUpdate.swift: the control sequences that turn one screen into another. SPDX-License-Identifier: MIT

/// Writes only the cells that have changed, as one text.
struct ScreenUpdate {
  /// Up to as many unchanged cells are written again, which is shorter than moving the cursor.
  private static let shortGap = 4
  // Terminals without synchronised output ignore both.
  private static let begin = "\u{1b}[?2026h"
  private static let end = "\u{1b}[?2026l"

  private let depth: ColourDepth
  private var text = ""
  private var style: Style?
  /// The cell at which the terminal writes next; nil if that is not certain.
  private var cursor: (row: Int, column: Int)?

  private init(_ depth: ColourDepth) { self.depth = depth }

  /// Returns the text for a terminal that shows `old`; empty if nothing has changed.
  ///
  /// `old` is nil if the contents of the terminal are not known.
  static func text(from old: CellBuffer?, to new: CellBuffer, depth: ColourDepth) -> String {
    var update = ScreenUpdate(depth)
    let known = old.flatMap { $0.rows == new.rows && $0.columns == new.columns ? $0 : nil }
    if known == nil { update.text += "\u{1b}[0m\u{1b}[2J" }
    for row in 0 ..< new.rows { update.write(row: row, from: known, to: new) }
    guard !update.text.isEmpty else { return "" }
    return begin + update.text + "\u{1b}[0m" + end
  }

  private mutating func write(row: Int, from old: CellBuffer?, to new: CellBuffer) {
    var column = 0
    while column < new.columns {
      let cell = new[row, column]
      if cell != (old?[row, column] ?? .blank), cell.character != CellBuffer.Cell.halfCharacter {
        fillGap(row: row, before: column, new)
        put(cell, row: row, column: column)
      }
      column += 1
    }
  }

  /// Writes the unchanged cells between the cursor and a cell, if they are few.
  private mutating func fillGap(row: Int, before column: Int, _ new: CellBuffer) {
    guard let cursor, cursor.row == row, cursor.column < column,
      column - cursor.column <= Self.shortGap
    else { return }
    let gap = cursor.column ..< column
    guard gap.allSatisfy({ new[row, $0].character.isASCII && new[row, $0].style == style }),
      !gap.contains(where: { new[row, $0].character == CellBuffer.Cell.halfCharacter })
    else { return }
    for cell in gap { put(new[row, cell], row: row, column: cell) }
  }

  private mutating func put(_ cell: CellBuffer.Cell, row: Int, column: Int) {
    if cursor?.row != row || cursor?.column != column {
      text += "\u{1b}[\(row + 1);\(column + 1)H"
    }
    if style != cell.style {
      text += "\u{1b}[\(cell.style.parameters(depth))m"
      style = cell.style
    }
    text.append(cell.character)
    // Terminals disagree about the width of other characters, and about the cursor after the last column.
    cursor = Self.isNarrow(cell.character) ? (row, column + 1) : nil
  }

  /// ASCII, and the lines and blocks of the glyphs, which every terminal shows in one column.
  private static func isNarrow(_ character: Character) -> Bool {
    if character.isASCII { return true }
    guard character.unicodeScalars.count == 1, let scalar = character.unicodeScalars.first else {
      return false
    }
    return 0x2500 ... 0x259f ~= scalar.value
  }
}
