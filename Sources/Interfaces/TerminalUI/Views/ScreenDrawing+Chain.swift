// ScreenDrawing+Chain.swift: the chain, and the controls of a node. SPDX-License-Identifier: MIT

import Console
import HostModel

extension ScreenDrawing {
  /// Both panes, or the one that receives keys.
  mutating func drawChainPage() {
    if let bounds = layout.chain(model.focus) { drawChain(bounds) }
    if let bounds = layout.controls(model.focus) { drawControls(bounds) }
  }

  // MARK: - Chain

  private mutating func drawChain(_ bounds: Rectangle) {
    let isActive = model.focus == .chain
    let inner = frame(bounds, title: "Chain", isActive: isActive)
    let slots = model.slots
    let selected = slots.firstIndex { $0.name == model.slot?.name } ?? 0
    model.chainTop = ScreenLayout.top(
      model.chainTop, selected: selected, count: slots.count, visible: inner.rows)
    for (line, slot) in slots.dropFirst(model.chainTop).prefix(inner.rows).enumerated() {
      let isSelected = model.chainTop + line == selected
      let ground: Style.Ground = !isSelected ? .none : isActive ? .selection : .idleSelection
      drawSlot(slot, inner.line(line), ground)
    }
    drawScroll(inner, top: model.chainTop, visible: inner.rows, count: slots.count)
  }

  private mutating func drawSlot(
    _ slot: SignalOrder.Slot, _ bounds: Rectangle, _ ground: Style.Ground
  ) {
    buffer.clear(bounds, Style(.plain, on: ground))
    mark(bounds, .slot(slot.name))
    if ground != .none { write(glyphs.marker, bounds, Style(.accent, on: ground)) }
    guard slot.isUnit else {
      write(slot.kind == .input ? "In" : "Out", bounds, from: 1, Style(.dim, on: ground))
      return
    }
    let indent = slot.kind == .innerNode ? 2 : 0
    drawPower(slot, bounds, indent, ground)
    let right = bounds.columns >= 28 ? 15 : 10
    let isDimmed = model.isBypassed(slot.name)
    write(
      slot.title, bounds, from: indent + 3, width: bounds.columns - indent - 4 - right,
      Style(isDimmed ? .dim : .plain, on: ground))
    drawSlotState(slot, bounds, width: right, ground)
  }

  private mutating func drawPower(
    _ slot: SignalOrder.Slot, _ bounds: Rectangle, _ indent: Int, _ ground: Style.Ground
  ) {
    let isFaulty = model.faultyNodes.contains(slot.name)
    let isBypassed = model.isBypassed(slot.name)
    write(
      isFaulty ? glyphs.fault : isBypassed ? glyphs.isOff : glyphs.isOn, bounds, from: indent + 1,
      Style(isFaulty ? .bad : isBypassed ? .dim : .good, on: ground))
    var switchBounds = bounds
    switchBounds.column += indent + 1
    switchBounds.columns = 1
    mark(switchBounds, .bypass(slot.name))
  }

  /// The level and the load, or why the node does nothing.
  private mutating func drawSlotState(
    _ slot: SignalOrder.Slot, _ bounds: Rectangle, width: Int, _ ground: Style.Ground
  ) {
    let start = bounds.columns - width
    if let (text, role) = stateWords(slot) {
      write(text, bounds, from: start, Style(role, on: ground))
      return
    }
    let level = model.nodeLevels[slot.name]?.peakDBFS ?? -.infinity
    drawLevel(.init(level: level), bounds, from: start, width: 8, ground: ground)
    guard width > 10, let load = model.loads[slot.name] else { return }
    var area = bounds
    area.columns -= 1
    let text = NumberFormat.fixed(load.mean, places: load.mean < 9.95 ? 1 : 0) + "%"
    writeRight(text, area, Style(.dim, on: ground))
  }

  /// Why there is no level; nil if there is one.
  private func stateWords(_ slot: SignalOrder.Slot) -> (text: String, role: Style.Role)? {
    if model.faultyNodes.contains(slot.name) { return ("faulty", .bad) }
    if model.isBypassed(slot.name) { return ("bypassed", .dim) }
    return slot.kind == .nestedRig ? ("nested rig", .dim) : nil
  }

  // MARK: - Controls

  private mutating func drawControls(_ bounds: Rectangle) {
    let isActive = model.focus == .controls
    let inner = frame(bounds, title: controlsTitle, isActive: isActive)
    var list = inner
    for line in controlsNotes {
      write(line, list.line(0), from: 1, Style(.bad))
      list.row += 1
      list.rows = max(0, list.rows - 1)
    }
    list = drawPlot(list)
    let rows = model.rows
    if rows.isEmpty { write("There is nothing to set here.", list.line(0), from: 1, Style(.dim)) }
    model.controlsTop = ScreenLayout.top(
      model.controlsTop, selected: topmostNeeded, count: rows.count, visible: list.rows)
    for (line, row) in rows.dropFirst(model.controlsTop).prefix(list.rows).enumerated() {
      let index = model.controlsTop + line
      let isSelected = index == model.selectedRow && row.isSelectable
      let ground: Style.Ground = !isSelected ? .none : isActive ? .selection : .idleSelection
      drawControl(row, index, list.line(line), ground)
    }
    drawScroll(list, top: model.controlsTop, visible: list.rows, count: rows.count)
  }

  /// With the first control selected, the readouts above it are visible, too.
  private var topmostNeeded: Int {
    let first = model.rows.firstIndex(where: \.isSelectable) ?? 0
    return model.selectedRow <= first && model.controlsTop <= first ? 0 : model.selectedRow
  }

  private var controlsTitle: String {
    guard let slot = model.slot else { return "Controls" }
    switch slot.kind {
    case .input: return "In"
    case .output: return "Out"
    case .nestedRig: return "\(slot.name) (nested rig)"
    case .node, .innerNode:
      let plugin = model.node.flatMap { model.descriptions[$0.plugin]?.name ?? $0.plugin } ?? ""
      return plugin.isEmpty || plugin == slot.name ? slot.name : "\(slot.name): \(plugin)"
    }
  }

  private var controlsNotes: [String] {
    guard let node = model.node else { return [] }
    let problem = model.descriptions[node.plugin]?.problem
    let fault = node.faulty ? "\(node.name) had a fault and is bypassed." : nil
    return [fault, problem].compactMap(\.self)
  }
}

extension ScreenDrawing {
  /// The columns of a control: its name, its scale, its value.
  private struct Columns {
    let name: Int
    let scale: Int
    let value: Int

    init(_ width: Int) {
      value = min(18, max(10, width / 4))
      name = min(28, max(10, width * 3 / 8))
      scale = max(0, width - name - value - 4)
    }
  }

  /// Draws a control: a slider, a switch, a choice, a file, or a value of the plugin.
  mutating func drawControl(
    _ row: ControlRow, _ index: Int, _ bounds: Rectangle, _ ground: Style.Ground
  ) {
    buffer.clear(bounds, Style(.plain, on: ground))
    let columns = Columns(bounds.columns)
    if row.isSelectable { mark(bounds, .row(index)) }
    if ground != .none { write(glyphs.marker, bounds, Style(.accent, on: ground)) }
    let role: Style.Role = row.isSelectable ? .plain : .dim
    write(row.name, bounds, from: 1, width: columns.name, Style(role, on: ground))
    switch row.kind {
    case .value(let parameter, let value):
      drawValue(row, parameter, model.value(of: row) ?? value, index, bounds, columns, ground)
    case .preset:
      drawWord("\(glyphs.menu) choose", bounds, columns, ground)
    case .property(_, let value):
      let file = value.split(separator: "/").last.map(String.init) ?? "none"
      drawWord("\(glyphs.menu) \(file)", bounds, columns, ground)
    case .readout(let readout): drawReadout(readout, row, bounds, columns)
    }
  }

  private mutating func drawValue(
    _ row: ControlRow, _ parameter: ParameterDescription, _ value: Double, _ index: Int,
    _ bounds: Rectangle, _ columns: Columns, _ ground: Style.Ground
  ) {
    if let control = model.mapping(of: row) {
      let note = "[\(control)]"
      let width = min(note.columnCount, max(0, columns.name - row.name.columnCount - 1))
      write(note, bounds, from: 2 + row.name.columnCount, width: width, Style(.dim, on: ground))
    }
    let text = row.text(value)
    if parameter.isTrigger {
      return drawWord("\(glyphs.marker) start", bounds, columns, ground)
    }
    if parameter.isToggle {
      let isOn = value >= 0.5
      return drawWord(
        "\(isOn ? glyphs.isOn : glyphs.isOff) \(text)", bounds, columns, ground,
        isOn ? .good : .dim)
    }
    if parameter.isChoice {
      return drawWord("\(glyphs.menu) \(text)", bounds, columns, ground)
    }
    var scale = bounds
    scale.column += columns.name + 2
    scale.columns = columns.scale
    drawScale(parameter, value, scale, ground)
    mark(scale, .scale(index, scale))
    var area = bounds
    area.columns = bounds.columns - 1
    writeRight(text, area, Style(.strong, on: ground))
  }

  /// A word in place of a scale.
  private mutating func drawWord(
    _ text: String, _ bounds: Rectangle, _ columns: Columns, _ ground: Style.Ground,
    _ role: Style.Role = .plain
  ) {
    write(text, bounds, from: columns.name + 2, Style(role, on: ground))
  }

  /// A slider, filled from its lowest value or from 0.
  private mutating func drawScale(
    _ parameter: ParameterDescription, _ value: Double, _ bounds: Rectangle,
    _ ground: Style.Ground
  ) {
    let last = bounds.columns - 1
    guard last > 0 else { return }
    let knob = Int((parameter.position(of: value) * Double(last)).rounded())
    let hasZero = parameter.minimum < 0 && parameter.maximum > 0
    let zero = hasZero ? Int((parameter.position(of: 0) * Double(last)).rounded()) : 0
    for index in 0 ... last {
      let isFilled = index >= min(zero, knob) && index <= max(zero, knob)
      write(
        index == knob ? glyphs.knob : isFilled ? glyphs.fill : glyphs.track, bounds, from: index,
        width: 1, Style(index == knob || isFilled ? .accent : .track, on: ground))
    }
  }

  private mutating func drawReadout(
    _ readout: PluginDescription.Readout, _ row: ControlRow, _ bounds: Rectangle,
    _ columns: Columns
  ) {
    let values = model.nodeLevels[row.target]?.readouts
    guard let value = values?.first(where: { $0.symbol == row.symbol })?.value else { return }
    let unit = readout.unit.isEmpty ? "" : " \(readout.unit)"
    let name = readout.choices.first { $0.value == Double(value) }?.name
    var area = bounds
    area.columns = bounds.columns - 1
    writeRight(
      name ?? ParameterDescription.number(Double(value)) + unit, area, Style(.dim))
  }
}
