// ScreenDrawing+Controls.swift: one line for each control. SPDX-License-Identifier: MIT

import Console
import HostModel

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
    _ row: ControlRow, _ index: Int, _ place: Rectangle, _ ground: Style.Ground
  ) {
    buffer.clear(place, Style(.plain, on: ground))
    let columns = Columns(place.columns)
    if row.isSelectable { mark(place, .row(index)) }
    if ground != .none { write(glyphs.marker, place, Style(.accent, on: ground)) }
    let role: Style.Role = row.isSelectable ? .plain : .dim
    write(row.name, place, from: 1, width: columns.name, Style(role, on: ground))
    switch row.kind {
    case .value(let parameter, let value):
      drawValue(row, parameter, model.value(of: row) ?? value, index, place, columns, ground)
    case .preset:
      drawWord("\(glyphs.menu) choose", place, columns, ground)
    case .property(_, let value):
      let file = value.split(separator: "/").last.map(String.init) ?? "none"
      drawWord("\(glyphs.menu) \(file)", place, columns, ground)
    case .readout(let readout): drawReadout(readout, row, place, columns)
    }
  }

  private mutating func drawValue(
    _ row: ControlRow, _ parameter: ParameterDescription, _ value: Double, _ index: Int,
    _ place: Rectangle, _ columns: Columns, _ ground: Style.Ground
  ) {
    if let control = model.mapping(of: row) {
      let note = "[\(control)]"
      let width = min(note.columnCount, max(0, columns.name - row.name.columnCount - 1))
      write(note, place, from: 2 + row.name.columnCount, width: width, Style(.dim, on: ground))
    }
    let text = row.text(value)
    if parameter.isTrigger {
      return drawWord("\(glyphs.marker) start", place, columns, ground)
    }
    if parameter.isToggle {
      let isOn = value >= 0.5
      return drawWord(
        "\(isOn ? glyphs.isOn : glyphs.isOff) \(text)", place, columns, ground,
        isOn ? .good : .dim)
    }
    if parameter.isChoice {
      return drawWord("\(glyphs.menu) \(text)", place, columns, ground)
    }
    var scale = place
    scale.column += columns.name + 2
    scale.columns = columns.scale
    drawScale(parameter, value, scale, ground)
    mark(scale, .scale(index, scale))
    var figure = place
    figure.columns = place.columns - 1
    writeRight(text, figure, Style(.strong, on: ground))
  }

  /// A word in place of a scale.
  private mutating func drawWord(
    _ text: String, _ place: Rectangle, _ columns: Columns, _ ground: Style.Ground,
    _ role: Style.Role = .plain
  ) {
    write(text, place, from: columns.name + 2, Style(role, on: ground))
  }

  /// A slider, filled from its lowest value or from 0.
  private mutating func drawScale(
    _ parameter: ParameterDescription, _ value: Double, _ place: Rectangle,
    _ ground: Style.Ground
  ) {
    let last = place.columns - 1
    guard last > 0 else { return }
    let knob = Int((parameter.position(of: value) * Double(last)).rounded())
    let hasZero = parameter.minimum < 0 && parameter.maximum > 0
    let zero = hasZero ? Int((parameter.position(of: 0) * Double(last)).rounded()) : 0
    for index in 0 ... last {
      let isFilled = index >= min(zero, knob) && index <= max(zero, knob)
      write(
        index == knob ? glyphs.knob : isFilled ? glyphs.fill : glyphs.track, place, from: index,
        width: 1, Style(index == knob || isFilled ? .accent : .track, on: ground))
    }
  }

  private mutating func drawReadout(
    _ readout: PluginDescription.Readout, _ row: ControlRow, _ place: Rectangle,
    _ columns: Columns
  ) {
    let values = model.nodeLevels[row.target]?.readouts
    guard let value = values?.first(where: { $0.symbol == row.symbol })?.value else { return }
    let unit = readout.unit.isEmpty ? "" : " \(readout.unit)"
    let name = readout.choices.first { $0.value == Double(value) }?.name
    var figure = place
    figure.columns = place.columns - 1
    writeRight(
      name ?? ParameterDescription.number(Double(value)) + unit, figure, Style(.dim))
  }
}
