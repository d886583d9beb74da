// ScreenDrawing.swift: draws the screen. SPDX-License-Identifier: MIT

import Console
import HostModel

/// A screen that is being drawn, and what is under the mouse.
struct ScreenDrawing {
  /// The part of the screen on which a click or the wheel acts.
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
  private(set) var regions: [(bounds: Rectangle, target: Target)] = []

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

  /// Returns the part of the screen at a cell.
  func target(row: Int, column: Int) -> Target? {
    regions.last { $0.bounds.contains(row: row, column: column) }?.target
  }

  /// Makes a rectangle react to the mouse.
  mutating func mark(_ bounds: Rectangle, _ target: Target) { regions.append((bounds, target)) }

  /// Removes all parts that react to the mouse, because a dialog covers them.
  mutating func clearRegions() { regions = [] }

  // MARK: - Parts

  /// Writes text into a column of a line; a text that is too long ends with an ellipsis.
  @discardableResult
  mutating func write(
    _ text: String, _ bounds: Rectangle, from start: Int = 0, width: Int? = nil, _ style: Style
  ) -> Int {
    var part = bounds
    part.column += start
    part.columns = max(0, min(width ?? bounds.columns - start, bounds.columns - start))
    let clean = text.printable
    guard clean.columnCount > part.columns else { return buffer.write(clean, in: part, style) }
    guard part.columns > 1 else { return 0 }
    return buffer.write(
      clean.prefix(columns: part.columns - 1) + glyphs.ellipsis, in: part, style)
  }

  /// Writes text that ends at the end of a line.
  mutating func writeRight(_ text: String, _ bounds: Rectangle, _ style: Style) {
    let width = min(bounds.columns, text.printable.columnCount)
    write(text, bounds, from: bounds.columns - width, style)
  }

  /// Draws a frame with a title, and returns the space in it; without frames the title is a line.
  mutating func frame(_ bounds: Rectangle, title: String, isActive: Bool) -> Rectangle {
    let style = Style(isActive ? .accent : .frame)
    guard layout.hasFrames else {
      write(title, bounds.line(0), from: 1, Style(isActive ? .accent : .strong))
      var inner = bounds
      inner.row += 1
      inner.rows = max(0, inner.rows - 1)
      return inner
    }
    drawBox(bounds, style)
    let name = " \(title) "
    write(
      name, bounds.line(0), from: 2, width: bounds.columns - 4,
      isActive ? Style(.strong) : .plain)
    return bounds.inset(rows: 1, columns: 1)
  }

  /// Draws the lines of a frame.
  mutating func drawBox(_ bounds: Rectangle, _ style: Style) {
    let line = String(repeating: glyphs.horizontal, count: max(0, bounds.columns - 2))
    write(glyphs.corners[0] + line + glyphs.corners[1], bounds.line(0), style)
    write(glyphs.corners[2] + line + glyphs.corners[3], bounds.line(bounds.rows - 1), style)
    for row in 1 ..< max(1, bounds.rows - 1) {
      write(glyphs.vertical, bounds.line(row), style)
      write(glyphs.vertical, bounds.line(row), from: bounds.columns - 1, style)
    }
  }

  /// Marks at the right edge of a frame that a list has more rows.
  mutating func drawScroll(_ bounds: Rectangle, top: Int, visible: Int, count: Int) {
    guard bounds.rows > 0 else { return }
    let column = bounds.columns - 1
    if top > 0 { write(glyphs.up, bounds.line(0), from: column, Style(.accent)) }
    if top + visible < count {
      write(glyphs.down, bounds.line(bounds.rows - 1), from: column, Style(.accent))
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

extension ScreenDrawing {
  /// The scenes of the rig.
  mutating func drawScenes() {
    let inner = frame(layout.body, title: "Scenes", isActive: true)
    let scenes = model.state.scenes
    if scenes.isEmpty {
      write("No scenes yet. Press n to store the current values.", inner.line(0), from: 1, .plain)
    }
    model.scenesTop = ScreenLayout.top(
      model.scenesTop, selected: model.selectedScene, count: scenes.count, visible: inner.rows)
    for (line, scene) in scenes.dropFirst(model.scenesTop).prefix(inner.rows).enumerated() {
      let index = model.scenesTop + line
      let ground: Style.Ground = index == model.selectedScene ? .selection : .none
      let bounds = inner.line(line)
      buffer.clear(bounds, Style(.plain, on: ground))
      mark(bounds, .scene(index))
      if ground != .none { write(glyphs.marker, bounds, Style(.accent, on: ground)) }
      write(
        scene.current ? glyphs.isOn : glyphs.isOff, bounds, from: 1,
        Style(scene.current ? .good : .dim, on: ground))
      let over = scene.over.map { "over \(NumberFormat.short($0)) s" } ?? ""
      write(
        scene.name, bounds, from: 3, width: bounds.columns - 5 - over.count,
        Style(scene.current ? .strong : .plain, on: ground))
      var area = bounds
      area.columns -= 1
      writeRight(over, area, Style(.dim, on: ground))
    }
    drawScroll(inner, top: model.scenesTop, visible: inner.rows, count: scenes.count)
  }

  /// Recorders and players with their states.
  mutating func drawTransport() {
    let inner = frame(layout.body, title: "Recorders and players", isActive: true)
    let devices = model.devices
    if devices.isEmpty {
      write("The rig has no recorder and no player.", inner.line(0), from: 1, .plain)
    }
    for (index, node) in devices.enumerated() where 2 * index + 1 < inner.rows {
      let ground: Style.Ground = index == model.selectedDevice ? .selection : .none
      let bounds = inner.line(2 * index)
      buffer.clear(bounds, Style(.plain, on: ground))
      mark(bounds, .device(index))
      if ground != .none { write(glyphs.marker, bounds, Style(.accent, on: ground)) }
      let state = model.transport[node.name] ?? ""
      let isRunning = TransportState.isRunning(state)
      write(
        isRunning ? glyphs.isOn : glyphs.isOff, bounds, from: 1,
        Style(!isRunning ? .dim : node.plugin == "recorder" ? .bad : .good, on: ground))
      write("\(node.name) (\(node.plugin))", bounds, from: 3, Style(.strong, on: ground))
      write(TransportState.message(state), inner.line(2 * index + 1), from: 3, .plain)
    }
  }

  /// Load, interruptions, devices, and the messages.
  mutating func drawStatus() {
    let inner = frame(layout.body, title: "Status", isActive: true)
    let lines = statusLines
    for (line, entry) in lines.prefix(inner.rows).enumerated() {
      write(entry.name, inner.line(line), from: 1, width: 14, Style(.dim))
      write(entry.text, inner.line(line), from: 16, Style(entry.role))
    }
    var list = inner
    list.row += lines.count + 1
    list.rows = max(0, inner.rows - lines.count - 1)
    drawLoads(&list)
    model.logTop = max(0, min(model.logTop, model.log.count - list.rows))
    for (line, message) in model.log.dropFirst(model.logTop).prefix(list.rows).enumerated() {
      write(
        message.text, list.line(line), from: 1, Style(message.isError ? .bad : .plain))
    }
    drawScroll(list, top: model.logTop, visible: list.rows, count: model.log.count)
  }

  /// The load of each node, in a half of the space, as `outboard top` shows it.
  private mutating func drawLoads(_ bounds: inout Rectangle) {
    var table = Table([
      .init("NODE", canShrink: true), .init("MEAN", .right), .init("P99", .right),
      .init("WORST", .right), .init("LATENCY", .right), .init("FAULTS", .right),
    ])
    func percent(_ value: Double) -> String { NumberFormat.fixed(value, places: 2) + " %" }
    for node in model.state.nodes {
      guard let load = model.loads[node.name] else { continue }
      table.add([
        load.name, percent(load.mean), percent(load.p99), percent(load.worst), "\(load.latency)",
        "\(load.faults)",
      ])
    }
    let lines = table.lines(width: bounds.columns - 2)
    guard lines.count > 1, bounds.rows >= 8 else { return }
    let shown = min(lines.count, bounds.rows / 2)
    for (line, text) in lines.prefix(shown).enumerated() {
      write(text, bounds.line(line), from: 1, Style(line == 0 ? .dim : .plain))
    }
    bounds.row += shown + 1
    bounds.rows -= shown + 1
  }

  private var statusLines: [(name: String, text: String, role: Style.Role)] {
    let load = model.load.map { NumberFormat.fixed($0 * 100, places: 0) + " %" } ?? "unknown"
    return [
      ("Session", model.sessionName, .plain), ("Rig", model.state.rig, .plain),
      ("Load", load, (model.load ?? 0) > 0.8 ? .bad : .plain),
      (
        "Interruptions", model.xruns == 0 ? "none" : model.xrunText,
        model.xruns > 0 ? .warning : .plain
      ),
      (
        "Faults", model.faultyNodes.isEmpty ? "none" : model.faultyNodes.joined(separator: ", "),
        model.faultyNodes.isEmpty ? .plain : .bad
      ),
      ("Device", model.device, .plain), ("Rate", model.rate, .plain),
      ("MIDI mappings", model.state.maps?.joined(separator: "; ") ?? "none", .plain),
    ].filter { !$0.1.isEmpty }
  }
}

/// The state of a recorder or player, which the session reports as a message that begins with its name.
enum TransportState {
  /// Whether the recorder or player is running.
  static func isRunning(_ state: String) -> Bool {
    state.hasPrefix("records to") || state.hasPrefix("plays")
  }

  /// The state as a message, with file names in place of paths.
  static func message(_ state: String) -> String {
    let words = state.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.hasPrefix("/") ? word.split(separator: "/").last ?? word : word
    }
    let text = words.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }
}
