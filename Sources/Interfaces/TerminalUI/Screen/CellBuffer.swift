// CellBuffer.swift: the contents of a screen as a grid of cells. SPDX-License-Identifier: MIT

import Console

/// A part of the screen, in cells; rows and columns begin at 0.
struct Rectangle: Equatable, Sendable {
  var row: Int
  var column: Int
  var rows: Int
  var columns: Int

  /// Whether a cell is in it.
  func contains(row: Int, column: Int) -> Bool {
    row >= self.row && row < self.row + rows && column >= self.column
      && column < self.column + columns
  }

  /// One of its rows.
  func line(_ index: Int) -> Rectangle {
    Rectangle(row: row + index, column: column, rows: 1, columns: columns)
  }

  /// The rectangle without a margin at each side.
  func inset(rows margin: Int, columns side: Int) -> Rectangle {
    Rectangle(
      row: row + margin, column: column + side, rows: max(0, rows - 2 * margin),
      columns: max(0, columns - 2 * side))
  }
}

/// A grid of characters with their styles.
struct CellBuffer: Equatable, Sendable {
  /// A cell; a wide character has an empty cell after it.
  struct Cell: Equatable, Sendable {
    var character: Character
    var style: Style

    static let blank = Cell(character: " ", style: .plain)
    /// The second half of a wide character.
    static let halfCharacter: Character = "\0"
  }

  /// A character of more code points is cut: a terminal shows no more.
  private static let longestCharacter = 4

  let rows: Int
  let columns: Int
  private(set) var cells: [Cell]

  /// Creates a blank grid.
  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (max(0, rows), max(0, columns))
    cells = Array(repeating: .blank, count: self.rows * self.columns)
  }

  /// The grid as a rectangle.
  var bounds: Rectangle { Rectangle(row: 0, column: 0, rows: rows, columns: columns) }

  subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

  /// A row as text, without spaces at its end.
  func text(row: Int) -> String {
    var text = String((0 ..< columns).map { self[row, $0].character })
    text.removeAll { $0 == Cell.halfCharacter }
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Writes text into the first row of a rectangle; what does not fit is left out.
  ///
  /// Control characters are escaped: names of rigs and plugins are text of others.
  ///
  /// - Returns: the number of columns that the text takes.
  @discardableResult
  mutating func write(_ text: String, in bounds: Rectangle, _ style: Style) -> Int {
    guard bounds.row >= 0, bounds.row < rows, bounds.rows > 0 else { return 0 }
    let end = min(columns, bounds.column + bounds.columns)
    var column = bounds.column
    for character in text.printable {
      let width = Self.width(of: character)
      guard width > 0 else { continue }
      guard column >= 0, column + width <= end else { break }
      set(row: bounds.row, column, Cell(character: Self.bounded(character), style: style))
      if width == 2 {
        set(row: bounds.row, column + 1, Cell(character: Cell.halfCharacter, style: style))
      }
      column += width
    }
    return column - bounds.column
  }

  /// Fills a rectangle with spaces.
  mutating func clear(_ bounds: Rectangle, _ style: Style = .plain) {
    for row in max(0, bounds.row) ..< max(0, min(rows, bounds.row + bounds.rows)) {
      for column in max(0, bounds.column) ..< max(0, min(columns, bounds.column + bounds.columns)) {
        set(row: row, column, Cell(character: " ", style: style))
      }
    }
  }

  /// 0 for characters that terminals do not show.
  private static func width(of character: Character) -> Int {
    if character.isASCII { return 1 }
    let isHidden = character.unicodeScalars.first?.properties.generalCategory == .format
    return isHidden ? 0 : String(character).columnCount
  }

  private static func bounded(_ character: Character) -> Character {
    guard character.unicodeScalars.count > longestCharacter else { return character }
    return String(String.UnicodeScalarView(character.unicodeScalars.prefix(longestCharacter)))
      .first ?? " "
  }

  /// Sets a cell; the other half of a wide character that was there becomes a space.
  private mutating func set(row: Int, _ column: Int, _ cell: Cell) {
    let index = row * columns + column
    let isHalf = cell.character == Cell.halfCharacter
    if !isHalf, cells[index].character == Cell.halfCharacter, column > 0 {
      cells[index - 1].character = " "
    }
    if column + 1 < columns, cells[index + 1].character == Cell.halfCharacter {
      cells[index + 1].character = " "
    }
    cells[index] = cell
  }
}
