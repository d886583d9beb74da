// ScreenDialog.swift: what lies over the screen and receives all keys. SPDX-License-Identifier: MIT

import Console

/// A box over the screen. [main]
protocol ScreenDialog: AnyObject {
  /// The keys for the last line.
  var hints: [KeyHint] { get }
  /// Draws the box.
  func draw(_ drawing: inout ScreenDrawing)
  /// Takes a key, the mouse or pasted text; returns false to close the dialog.
  func handle(_ event: InputEvent, _ target: ScreenDrawing.Target?) -> Bool
}

extension ScreenDrawing {
  /// Draws an empty box in the middle, and returns the space in it.
  mutating func dialogBox(title: String, rows: Int, columns: Int) -> Rectangle {
    clearRegions()
    let height = min(layout.rows - 2, rows + 2)
    let width = min(layout.columns - 2, columns + 4)
    let area = Rectangle(
      row: (layout.rows - height) / 2, column: (layout.columns - width) / 2, rows: height,
      columns: width)
    buffer.clear(area)
    drawBox(area, Style(.accent))
    write(" \(title) ", area.line(0), from: 2, width: width - 4, Style(.strong))
    return area.inset(rows: 1, columns: 2)
  }

  /// Draws a text that is edited, with its cursor.
  mutating func drawField(_ field: TextField, _ area: Rectangle) {
    buffer.clear(area, Style(.plain, on: .idleSelection))
    let before = field.beforeCursor.printable
    // A long text is shown up to the cursor.
    var shown = before
    while shown.columnCount > area.columns - 1 { shown.removeFirst() }
    let width = write(shown, area, Style(.plain, on: .idleSelection))
    let rest = String(field.text.dropFirst(field.beforeCursor.count)).printable
    write(
      rest.isEmpty ? " " : String(rest.prefix(1)), area, from: width, Style(.plain, on: .selection)
    )
    if rest.count > 1 {
      write(
        String(rest.dropFirst()), area, from: width + 1, Style(.plain, on: .idleSelection))
    }
  }
}
