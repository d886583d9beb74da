// ScreenDrawing+Header.swift: the lines at the top and bottom. SPDX-License-Identifier: MIT

import Console
import HostModel

extension ScreenDrawing {
  /// From here on there is space for all words of the first line.
  private static let wideColumns = 64
  /// A narrower meter has no unit.
  private static let narrowMeter = 30

  /// The rig at the left; load, interruptions and faults at the right.
  mutating func drawHeader() {
    let bar = Style(.plain, on: .bar)
    buffer.clear(layout.header, bar)
    let isWide = layout.columns >= Self.wideColumns
    let parts = statusParts(isWide: isWide)
    let width = parts.reduce(0) { $0 + $1.text.columnCount + 2 }
    let line = layout.header
    let rig = model.state.rig.isEmpty ? model.sessionName : model.state.rig
    let name = isWide ? "Outboard \(glyphs.gap) \(rig)" : rig
    write(name, line, from: 1, width: max(4, line.columns - width - 2), Style(.strong, on: .bar))
    var column = max(0, line.columns - width)
    for part in parts {
      write(part.text, line, from: column, Style(part.role, on: .bar))
      column += part.text.columnCount + 2
    }
  }

  private func statusParts(isWide: Bool) -> [(text: String, role: Style.Role)] {
    switch model.connection {
    case .connecting: return [("connecting", .warning)]
    case .lost: return [(isWide ? "connection lost, trying again" : "connection lost", .bad)]
    case .connected: break
    }
    if model.isSilent {
      return [(isWide ? "the session does not respond" : "no response", .bad)]
    }
    var parts: [(text: String, role: Style.Role)] = []
    if let load = model.load {
      let text = NumberFormat.fixed(load * 100, places: 0)
      parts.append(("load \(NumberFormat.right(text, 2)) %", load > 0.8 ? .bad : .plain))
    }
    parts.append((model.xrunText, model.xruns > 0 ? .warning : .plain))
    if isWide || !model.faultyNodes.isEmpty {
      parts.append((model.faultText, model.faultyNodes.isEmpty ? .plain : .bad))
    }
    return parts
  }

  /// Input and output with held peaks, a line for each channel or for all.
  mutating func drawMeters() {
    let half = layout.columns / 2
    for row in 0 ..< layout.meterRows {
      var bounds = layout.meters.line(row)
      bounds.columns = half
      drawMeter("In", model.input, row, bounds)
      bounds.column = half
      bounds.columns = layout.columns - half
      drawMeter("Out", model.output, row, bounds)
    }
  }

  private mutating func drawMeter(
    _ name: String, _ levels: LevelDisplay, _ row: Int, _ bounds: Rectangle
  ) {
    let count = levels.channels.count
    guard row == 0 || row < count else { return }
    // The last line has all other channels.
    let isLast = row == layout.meterRows - 1 && count > layout.meterRows
    let channel = isLast && row == 0 ? levels.highest : levels.channels.dropFirst(row).first
    let number = layout.meterRows > 1 && count > 1 ? " \(row + 1)" : ""
    let label = row == 0 ? name : String(repeating: " ", count: name.count)
    write(label + number, bounds, from: 1, .plain)
    let isNarrow = bounds.columns < Self.narrowMeter
    let start = isNarrow ? 5 : 7
    let unit = isNarrow ? "" : " dB"
    drawLevel(
      channel ?? .init(), bounds, from: start,
      width: max(4, bounds.columns - start - 8 - unit.count))
    var area = bounds
    area.columns = bounds.columns - 1
    if levels.hasClipped, row == 0 {
      writeRight("CLIP", area, Style(.bad))
      mark(bounds, .clip)
    } else {
      writeRight(levelText(channel?.level) + unit, area, Style(.dim))
    }
  }

  private func levelText(_ level: Double?) -> String {
    guard let level, level > -120 else { return "-inf" }
    return NumberFormat.decibels(level)
  }

  /// A level from -60 dB to full scale, with a mark at the held peak.
  mutating func drawLevel(
    _ channel: LevelDisplay.Channel, _ bounds: Rectangle, from start: Int, width: Int,
    ground: Style.Ground = .none
  ) {
    let text = Array(levelBar(channel.level, width: width))
    let held = Self.levelPosition(channel.held)
    let holdCell = held > 0 ? min(width - 1, Int(held * Double(width))) : -1
    for index in 0 ..< width {
      let decibels = -60 + 60 * Double(index) / Double(width)
      let role: Style.Role = decibels >= -3 ? .bad : decibels >= -12 ? .warning : .good
      let isBlank = String(text[index]) == glyphs.gap
      let isHold = index == holdCell && isBlank
      write(
        isHold ? glyphs.hold : String(text[index]), bounds, from: start + index, width: 1,
        Style(isBlank && !isHold ? .track : role, on: ground))
    }
  }

  private func levelBar(_ level: Double, width: Int) -> String {
    let eighths = Int(Self.levelPosition(level) * Double(width) * 8)
    var bar = String(repeating: glyphs.blocks[8], count: eighths / 8)
    if eighths / 8 < width { bar += glyphs.blocks[eighths % 8] }
    return bar + String(repeating: glyphs.gap, count: width - bar.count)
  }

  private static func levelPosition(_ decibels: Double) -> Double {
    decibels.isFinite ? min(1, max(0, (decibels + 60) / 60)) : decibels > 0 ? 1 : 0
  }

  /// The names of the pages.
  mutating func drawTabs() {
    guard layout.tabs.rows > 0 else { return }
    var column = 1
    for page in DisplayModel.Page.allCases {
      let isShown = page == model.page
      let key = "F\(page.rawValue + 2)"
      var bounds = layout.tabs
      bounds.column = column
      bounds.columns = key.count + page.title.count + 3
      write(" \(key)", bounds, Style(.dim, on: isShown ? .selection : .none))
      write(
        " \(page.title) ", bounds, from: key.count + 1,
        Style(isShown ? .strong : .plain, on: isShown ? .selection : .none))
      mark(bounds, .page(page))
      column += bounds.columns + 1
    }
  }

  /// The last message.
  mutating func drawMessage() {
    if model.connection != .connected {
      write(
        "The connection to \(model.sessionName) is lost. Reconnecting until the session is back.",
        layout.message, from: 1, Style(.bad))
    } else if let target = model.learning {
      write(
        "Move a knob, fader or pedal for \(target). Esc cancels.", layout.message, from: 1,
        Style(.warning))
    } else if let message = model.message {
      write(message.text, layout.message, from: 1, Style(message.isError ? .bad : .plain))
    }
  }

  /// The keys that are useful now; a click on one is the same as the key.
  mutating func drawFooter(_ dialog: (any ScreenDialog)?) {
    buffer.clear(layout.footer, Style(.plain, on: .bar))
    let last = dialog == nil ? KeyHint.last : []
    var end = layout.columns
    for hint in last.reversed() {
      end -= hint.width + 2
      draw(hint, at: end + 1)
    }
    var column = 1
    for hint in dialog?.hints ?? KeyHint.hints(model) {
      guard column + hint.width < end else { break }
      draw(hint, at: column)
      column += hint.width + 2
    }
  }

  private mutating func draw(_ hint: KeyHint, at column: Int) {
    var bounds = layout.footer
    bounds.column = column
    bounds.columns = hint.width
    write(hint.label, bounds, Style(.accent, on: .bar))
    write(hint.text, bounds, from: hint.label.count + 1, Style(.plain, on: .bar))
    if let key = hint.key { mark(bounds, .key(key)) }
  }
}

extension DisplayModel.Page {
  /// The name of the page.
  var title: String {
    switch self {
    case .chain: "Chain"
    case .scenes: "Scenes"
    case .transport: "Record and play"
    case .status: "Status"
    }
  }
}
