// ScreenDrawing.swift: draws the screen. SPDX-License-Identifier: MIT

import Console

/// A screen that is being drawn, and what is under the mouse.
struct ScreenDrawing {
  /// What a click or the wheel acts on.
  enum Target: Equatable {
    case slot(String)
    case bypass(String)
    case row(Int)
    /// The scale of a control.
    case scale(Int, Rectangle)
    case page(DisplayModel.Page)
    case scene(Int)
    case device(Int)
    case clip
    case dialogItem(Int)
    /// A key of the last line.
    case key(InputEvent.Key)
  }

  let model: DisplayModel
  let layout: ScreenLayout
  let glyphs: Glyphs
  var buffer: CellBuffer
  /// The topmost last.
  private(set) var regions: [(place: Rectangle, target: Target)] = []

  /// Draws a model, with a dialog over it.
  static func screen(
    _ model: DisplayModel, rows: Int, columns: Int, glyphs: Glyphs, dialog: (any ScreenDialog)?
  ) -> ScreenDrawing {
    let channels = max(model.input.channels.count, model.output.channels.count)
    let layout = ScreenLayout(rows: rows, columns: columns, channels: channels)
    var drawing = ScreenDrawing(
      model: model, layout: layout, glyphs: glyphs,
      buffer: CellBuffer(rows: rows, columns: columns))
    guard !layout.isTooSmall else {
      drawing.drawTooSmall()
      return drawing
    }
    drawing.drawHeader()
    drawing.drawMeters()
    drawing.drawTabs()
    switch model.page {
    case .chain: drawing.drawChainPage()
    case .scenes: drawing.drawScenes()
    case .transport: drawing.drawTransport()
    case .status: drawing.drawStatus()
    }
    drawing.drawMessage()
    drawing.drawFooter(dialog)
    dialog?.draw(&drawing)
    return drawing
  }

  private init(model: DisplayModel, layout: ScreenLayout, glyphs: Glyphs, buffer: CellBuffer) {
    (self.model, self.layout, self.glyphs, self.buffer) = (model, layout, glyphs, buffer)
  }

  /// What is at a cell.
  func target(row: Int, column: Int) -> Target? {
    regions.last { $0.place.contains(row: row, column: column) }?.target
  }

  /// Makes a rectangle react to the mouse.
  mutating func mark(_ place: Rectangle, _ target: Target) { regions.append((place, target)) }

  /// Nothing below a dialog reacts.
  mutating func clearRegions() { regions = [] }

  // MARK: - Parts

  /// Writes text into a column of a line; a text that is too long ends with an ellipsis.
  @discardableResult
  mutating func write(
    _ text: String, _ place: Rectangle, from start: Int = 0, width: Int? = nil, _ style: Style
  ) -> Int {
    var part = place
    part.column += start
    part.columns = max(0, min(width ?? place.columns - start, place.columns - start))
    let clean = text.printable
    guard clean.columnCount > part.columns else { return buffer.write(clean, in: part, style) }
    guard part.columns > 1 else { return 0 }
    return buffer.write(
      clean.prefix(columns: part.columns - 1) + glyphs.ellipsis, in: part, style)
  }

  /// Writes text that ends at the end of a line.
  mutating func writeRight(_ text: String, _ place: Rectangle, _ style: Style) {
    let width = min(place.columns, text.printable.columnCount)
    write(text, place, from: place.columns - width, style)
  }

  /// Draws a frame with a title, and returns the space in it; without frames the title is a line.
  mutating func frame(_ place: Rectangle, title: String, isActive: Bool) -> Rectangle {
    let style = Style(isActive ? .accent : .frame)
    guard layout.hasFrames else {
      write(title, place.line(0), from: 1, Style(isActive ? .accent : .strong))
      var inner = place
      inner.row += 1
      inner.rows = max(0, inner.rows - 1)
      return inner
    }
    drawBox(place, style)
    let name = " \(title) "
    write(
      name, place.line(0), from: 2, width: place.columns - 4,
      isActive ? Style(.strong) : .plain)
    return place.inset(rows: 1, columns: 1)
  }

  /// Draws the lines of a frame.
  mutating func drawBox(_ place: Rectangle, _ style: Style) {
    let line = String(repeating: glyphs.horizontal, count: max(0, place.columns - 2))
    write(glyphs.corners[0] + line + glyphs.corners[1], place.line(0), style)
    write(glyphs.corners[2] + line + glyphs.corners[3], place.line(place.rows - 1), style)
    for row in 1 ..< max(1, place.rows - 1) {
      write(glyphs.vertical, place.line(row), style)
      write(glyphs.vertical, place.line(row), from: place.columns - 1, style)
    }
  }

  /// Marks at the right edge of a frame that a list has more rows.
  mutating func drawScroll(_ place: Rectangle, top: Int, visible: Int, count: Int) {
    guard place.rows > 0 else { return }
    let column = place.columns - 1
    if top > 0 { write(glyphs.up, place.line(0), from: column, Style(.accent)) }
    if top + visible < count {
      write(glyphs.down, place.line(place.rows - 1), from: column, Style(.accent))
    }
  }

  private mutating func drawTooSmall() {
    let text =
      "The terminal is too small: \(layout.columns)x\(layout.rows). Use at least "
      + "\(ScreenLayout.smallest.columns)x\(ScreenLayout.smallest.rows)."
    let lines = TextWrapping.lines(text, indent: 0, columns: max(1, layout.columns))
    for (index, line) in lines.prefix(layout.rows).enumerated() {
      buffer.write(line, in: buffer.bounds.line(index), .plain)
    }
  }
}
