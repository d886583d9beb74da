// ModHostCommands.swift: command files of mod-host. SPDX-License-Identifier: MIT

import FoundationEssentials
import Manifests
import RigSchema

/// Command files of mod-host: one command a line, as its README lists them.
enum ModHostCommands: ProjectFormat {
  static func recognises(_ source: ProjectSource) -> Bool {
    guard source.entries == nil else { return false }
    return source.text.split(whereSeparator: \.isNewline).contains { line in
      let words = CommandWords.split(line)
      guard words.count == 3, ["add", "preload"].contains(words[0]) else { return false }
      return words[1].contains(":") && Int(words[2]) != nil
    }
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    var reader = ModHostReader(source)
    for (index, line) in source.text.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    )
    .enumerated() {
      reader.read(CommandWords.split(line), line: index + 1)
    }
    return reader.finished()
  }
}

/// Carries out the commands on a project.
private struct ModHostReader {
  private var project: ForeignProject
  /// The nodes that are not active, whose ports cannot be connected.
  private var inactive: Set<String> = []
  private var slots = ModHostSlots()
  /// The directory of the file, with a slash at the end; empty for the current one.
  private let directory: String
  private var words: [String] = []
  private var line = 0

  /// Commands that do not change the audio.
  private static let silent: Set = [
    "param_get", "param_monitor", "patch_get", "licensee", "monitor", "monitor_output",
    "monitor_output_off", "monitor_audio_levels", "monitor_midi_control",
    "monitor_midi_program", "cc_unmap", "cv_unmap", "cpu_load", "max_cpu_load", "bundle_add",
    "bundle_remove", "feature_enable", "transport_sync", "output_data_ready", "wait_audio_cycle",
    "help", "quit", "preset_show", "preset_save", "save", "state_save", "state_tmpdir",
  ]

  init(_ source: ProjectSource) {
    project = ForeignProject(format: "mod-host command file", name: source.stem)
    project.switchesIgnoreRange = true
    directory = ProjectSource.directory(of: source.path)
  }

  func finished() -> ForeignProject {
    var project = project
    for (control, node) in slots.controls {
      guard let position = project.nodes.firstIndex(where: { $0.name == node }) else { continue }
      guard !project.nodes.contains(where: { $0.controls.contains { $0.source == control.source } })
      else {
        project.notes.append(
          ImportNote(
            node, line: control.line,
            .unsupported(
              feature: "The control \(control.source) of \(control.parameter)",
              advice:
                "In mod-host, the control moves only the first parameter that it is mapped to.")))
        continue
      }
      project.nodes[position].controls.append(control)
    }
    return project
  }

  mutating func read(_ words: [String], line: Int) {
    guard let command = words.first, !command.hasPrefix("#"), !Self.silent.contains(command) else {
      return
    }
    (self.words, self.line) = (words, line)
    switch command {
    case "add": add(uri: word(1), word(2))
    case "preload":
      add(uri: word(1), word(2))
      inactive.insert(Self.name(word(2)))
    case "remove": remove()
    case "param_set": set(word(1), word(2), word(3))
    case "params_flush", "pre_run": setSeveral()
    case "patch_set": setProperty()
    case "preset_load": loadPreset()
    case "bypass": change(word(1)) { $0.isBypassed = Double($1) ?? 0 != 0 }
    case "activate": activate()
    case "connect", "connect_safe": connect()
    case "disconnect", "disconnect_safe": disconnect()
    case "set_bpm": project.tempo = Double(word(1))
    case "set_bpb": project.beatsPerBar = Double(word(1)).flatMap { Int(exactly: $0) }
    case "transport":
      project.beatsPerBar = Double(word(2)).flatMap { Int(exactly: $0) }
      project.tempo = Double(word(3))
    case "multi_add", "multi_preload":
      for position in stride(from: 2, to: words.count - 1, by: 2) {
        add(uri: word(position), word(position + 1))
      }
    case "multi_param_set":
      for instance in words.dropFirst(4) { set(instance, word(1), word(2)) }
    case "multi_bypass":
      for instance in words.dropFirst(3) {
        let isOn = Double(word(1)) ?? 0 != 0
        change(instance) { node, _ in node.isBypassed = isOn }
      }
    case "midi_map": mapControl()
    case "midi_unmap":
      let target = ModHostSlots.Target(node: Self.name(word(1)), parameter: Self.switched(word(2)))
      slots.remove { $0 == target }
    case "state_load": loadStates()
    default:
      note("", .unsupported(feature: "The command \(command.shortened)", advice: Self.advice))
    }
  }

  private static let advice = "Check whether the rig needs it."

  private func word(_ position: Int) -> String { position < words.count ? words[position] : "" }

  private mutating func note(_ subject: String, _ reason: ImportNote.Reason) {
    project.notes.append(ImportNote(subject, line: line, reason))
  }

  // MARK: - Plugins

  private static func name(_ instance: String) -> String { "effect_\(instance)" }

  private mutating func add(uri: String, _ instance: String) {
    guard !project.isFull else { return }
    guard Int(instance) != nil, !project.nodes.contains(where: { $0.name == Self.name(instance) })
    else {
      return note(
        "", .unsupported(feature: "The plugin \(uri)", advice: "Give it an unused instance number.")
      )
    }
    project.nodes.append(.init(name: Self.name(instance), plugin: .lv2(uri), line: line))
  }

  private mutating func remove() {
    let name = Self.name(word(1))
    let removesAll = word(1) == "-1"
    let removed = project.nodes.map(\.name).filter { removesAll || $0 == name }
    project.nodes.removeAll { removed.contains($0.name) }
    slots.remove { removed.contains($0.node) }
    disconnect(Set(removed))
    inactive.subtract(removed)
  }

  /// Changes a node; `edit` gets the word after its number.
  private mutating func change(
    _ instance: String, _ edit: (inout ForeignProject.Node, String) -> Void
  ) {
    guard let position = project.nodes.firstIndex(where: { $0.name == Self.name(instance) }) else {
      return note(
        Self.name(instance),
        .unsupported(feature: "The command \(word(0))", advice: "No such plugin was added before."))
    }
    let argument = word(2)
    edit(&project.nodes[position], argument)
  }

  private mutating func set(_ instance: String, _ symbol: String, _ text: String) {
    guard let value = Double(text) else {
      return note(Self.name(instance), .notANumber(name: symbol, value: text.shortened))
    }
    let line = line
    change(instance) { node, _ in
      node.values.append(.init(key: .named(symbol), value: value, line: line))
    }
  }

  private mutating func setSeveral() {
    for position in stride(from: 4, to: words.count - 1, by: 2) {
      set(word(1), word(position), word(position + 1))
    }
  }

  private mutating func setProperty() {
    let (text, line) = (word(3), line)
    change(word(1)) { node, uri in
      node.properties.append(.init(uri: uri, text: text, line: line))
    }
  }

  private mutating func loadPreset() {
    let line = line
    var replaced: String?
    change(word(1)) { node, name in
      replaced = node.preset
      (node.preset, node.presetLine) = (name, line)
      node.earlierValueCount = node.values.count
    }
    guard let replaced, replaced != word(2) else { return }
    project.notes.append(
      ImportNote(
        Self.name(word(1)), line: line,
        .unsupported(
          feature: "The preset \(replaced.shortened)",
          advice: "A later preset replaces it. Check the values that the later one does not set.")))
  }

  /// The states that `state_save` wrote are in one directory for each plugin.
  private mutating func loadStates() {
    let start = word(1).hasPrefix("/") ? word(1) : directory + word(1)
    for position in project.nodes.indices {
      let number = project.nodes[position].name.dropFirst(Self.name("").count)
      let path = "\(start)/effect-\(number)"
      guard FileManager.default.fileExists(atPath: "\(path)/manifest.ttl") else { continue }
      project.nodes[position].state = path
      project.nodes[position].properties = []
    }
  }

  /// Activates or deactivates the plugins of a range of numbers; an inactive one loses its connections.
  private mutating func activate() {
    guard let first = Int(word(1)), let last = Int(word(2)), first <= last else { return }
    let names = project.nodes.map(\.name).filter { name in
      Int(name.dropFirst(Self.name("").count)).map { first ... last ~= $0 } ?? false
    }
    guard word(3) == "0" else { return inactive.subtract(names) }
    inactive.formUnion(names)
    disconnect(Set(names))
  }

  private mutating func disconnect(_ names: Set<String>) {
    project.connections.removeAll { connection in
      [connection.from.node, connection.to.node].contains { $0.map(names.contains) ?? false }
    }
  }

  // MARK: - MIDI

  /// Returns the name of a parameter in a rig.
  private static func switched(_ symbol: String) -> String {
    symbol == ":bypass" ? "bypass" : symbol
  }

  private mutating func mapControl() {
    let parameter = Self.switched(word(2))
    guard let source = ControlSource(number: word(4), channel: (Int(word(3)) ?? 0) &+ 1) else {
      return note(
        Self.name(word(1)),
        .unsupported(
          feature: "The control \(word(4).shortened) of \(parameter)", advice: Self.advice))
    }
    let range = [word(5), word(6)].compactMap { Double($0) }.filter(\.isFinite)
    let control = ForeignProject.Control(
      parameter: parameter, source: source, range: range.count == 2 ? range : nil, line: line)
    var known: String?
    change(word(1)) { node, _ in known = node.name }
    if let known { slots.set(control, ofNode: known) }
  }

  // MARK: - Connections

  private mutating func connect() {
    guard let from = end(word(1)), let to = end(word(2)) else {
      return note("", .outsideConnection(from: word(1), to: word(2)))
    }
    guard ![from.node, to.node].contains(where: { $0.map(inactive.contains) ?? false }) else {
      return note(
        "",
        .unsupported(
          feature: "The connection \(word(1)) -> \(word(2))",
          advice: "mod-host refuses it, because a plugin is inactive. Add it if you need it."))
    }
    project.connect(.init(from, to, line: line))
  }

  private mutating func disconnect() {
    guard let from = end(word(1)), let to = end(word(2)) else { return }
    project.connections.removeAll { $0.from == from && $0.to == to }
  }

  private func end(_ port: String) -> ForeignProject.End? {
    let parts = port.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count == 2, project.nodes.contains(where: { $0.name == parts[0] }) {
      return .init(parts[0], .named(parts[1]))
    }
    return JACKPort.border(port)
  }
}
