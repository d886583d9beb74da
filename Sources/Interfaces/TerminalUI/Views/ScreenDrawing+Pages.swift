// ScreenDrawing+Pages.swift: scenes, recorders and players, and the status. SPDX-License-Identifier: MIT

import Console
import HostModel

extension ScreenDrawing {
  /// The scenes of the rig.
  mutating func drawScenes() {
    let inner = frame(layout.body, title: "Scenes", isActive: true)
    let scenes = model.state.scenes
    if scenes.isEmpty {
      write("No scenes yet. Set the sound, then store it with n.", inner.line(0), from: 1, .plain)
    }
    model.scenesTop = ScreenLayout.top(
      model.scenesTop, selected: model.selectedScene, count: scenes.count, visible: inner.rows)
    for (line, scene) in scenes.dropFirst(model.scenesTop).prefix(inner.rows).enumerated() {
      let index = model.scenesTop + line
      let ground: Style.Ground = index == model.selectedScene ? .selection : .none
      let place = inner.line(line)
      buffer.clear(place, Style(.plain, on: ground))
      mark(place, .scene(index))
      if ground != .none { write(glyphs.marker, place, Style(.accent, on: ground)) }
      write(
        scene.current ? glyphs.isOn : glyphs.isOff, place, from: 1,
        Style(scene.current ? .good : .dim, on: ground))
      let over = scene.over.map { "over \(NumberFormat.short($0)) s" } ?? ""
      write(
        scene.name, place, from: 3, width: place.columns - 5 - over.count,
        Style(scene.current ? .strong : .plain, on: ground))
      var figure = place
      figure.columns -= 1
      writeRight(over, figure, Style(.dim, on: ground))
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
      let place = inner.line(2 * index)
      buffer.clear(place, Style(.plain, on: ground))
      mark(place, .device(index))
      if ground != .none { write(glyphs.marker, place, Style(.accent, on: ground)) }
      let state = model.transport[node.name] ?? ""
      let isRunning = TransportState.isRunning(state)
      write(
        isRunning ? glyphs.isOn : glyphs.isOff, place, from: 1,
        Style(!isRunning ? .dim : node.plugin == "recorder" ? .bad : .good, on: ground))
      write("\(node.name) (\(node.plugin))", place, from: 3, Style(.strong, on: ground))
      write(TransportState.message(state), inner.line(2 * index + 1), from: 3, .plain)
    }
  }

  /// Load, interruptions, devices, and the messages.
  mutating func drawStatus() {
    let inner = frame(layout.body, title: "Status", isActive: true)
    let facts = statusFacts
    for (line, fact) in facts.prefix(inner.rows).enumerated() {
      write(fact.name, inner.line(line), from: 1, width: 14, Style(.dim))
      write(fact.text, inner.line(line), from: 16, Style(fact.role))
    }
    var list = inner
    list.row += facts.count + 1
    list.rows = max(0, inner.rows - facts.count - 1)
    drawLoads(&list)
    model.logTop = max(0, min(model.logTop, model.log.count - list.rows))
    for (line, message) in model.log.dropFirst(model.logTop).prefix(list.rows).enumerated() {
      write(
        message.text, list.line(line), from: 1, Style(message.isError ? .bad : .plain))
    }
    drawScroll(list, top: model.logTop, visible: list.rows, count: model.log.count)
  }

  /// The load of each node, in a half of the space, as `outboard top` shows it.
  private mutating func drawLoads(_ place: inout Rectangle) {
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
    let lines = table.lines(width: place.columns - 2)
    guard lines.count > 1, place.rows >= 8 else { return }
    let shown = min(lines.count, place.rows / 2)
    for (line, text) in lines.prefix(shown).enumerated() {
      write(text, place.line(line), from: 1, Style(line == 0 ? .dim : .plain))
    }
    place.row += shown + 1
    place.rows -= shown + 1
  }

  private var statusFacts: [(name: String, text: String, role: Style.Role)] {
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

/// The state of a recorder or player, which the session reports as a sentence that begins with its name.
enum TransportState {
  /// Whether it records or plays.
  static func isRunning(_ state: String) -> Bool {
    state.hasPrefix("records to") || state.hasPrefix("plays")
  }

  /// The state as a sentence, with file names in place of paths.
  static func message(_ state: String) -> String {
    let words = state.split(separator: " ", omittingEmptySubsequences: false).map { word in
      word.hasPrefix("/") ? word.split(separator: "/").last ?? word : word
    }
    let text = words.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }
}
