// TerminalApplication+Editing.swift: changes of values, nodes and the rig. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
import HostModel

extension TerminalApplication {
  // MARK: - Values

  /// Changes the selected value by steps.
  func step(by steps: Double) {
    changeValue { parameter, value in parameter.stepped(value, by: steps) }
  }

  /// Changes the selected value to what `change` returns for its parameter and the value.
  func changeValue(_ change: (ParameterDescription, Double) -> Double) {
    guard let row = model.selectedControl, let parameter = row.parameter,
      let value = model.value(of: row), !parameter.isTrigger
    else { return }
    let next = change(parameter, value)
    guard next != value, link.status == .connected else { return }
    model.pendingValues[.init(target: row.target, symbol: row.symbol)] = next
    link.move(row.target, row.symbol, row.argument(next))
  }

  /// Enter: types a value, changes a switch, or opens the choices.
  func activate() {
    guard let row = model.selectedControl else { return }
    switch row.kind {
    case .value(let parameter, let value): activate(row, parameter, value)
    case .preset: choosePreset()
    case .property(let property, let value):
      choose(property, value) { [self] in link.set(row.target, row.symbol, $0) }
    case .readout: break
    }
  }

  private func activate(_ row: ControlRow, _ parameter: ParameterDescription, _ value: Double) {
    if parameter.isTrigger { return link.set(row.target, row.symbol, "1") }
    if parameter.isToggle { return link.set(row.target, row.symbol, "toggle") }
    if parameter.isChoice {
      let items = parameter.choices.map { choice in
        MenuDialog.Item(text: choice.name) { [self] in
          link.set(row.target, row.symbol, ParameterDescription.argument(choice.value))
        }
      }
      dialog = MenuDialog(
        row.name, items: items, selected: parameter.choiceIndex(value) ?? 0)
      return
    }
    dialog = EntryDialog(row.name, hint: parameter.rangeText, text: row.text(value)) { [self] in
      let typed = ParameterDescription.typed($0)
      link.set(
        row.target, row.symbol, row.symbol == "wet" && Double(typed) != nil ? typed + " %" : typed)
    }
  }

  /// Switches the bypass of the selected node or nested rig.
  func toggleBypass() {
    guard let slot = model.slot, slot.isUnit else { return }
    link.set(slot.name, "bypass", "toggle")
  }

  /// Switches the mute of the selected channel, or of the node.
  func toggleMute() {
    guard let node = model.node else { return }
    let mutes = node.parameters.map(\.symbol).filter { $0 == "mute" || $0.hasPrefix("mute_") }
    let channel = model.selectedControl.flatMap { $0.symbol.split(separator: "_").last }
    let same = mutes.first { symbol in
      channel.map { symbol.hasSuffix("_\($0)") } ?? false
    }
    guard let mute = same ?? mutes.first else {
      return model.showMessage("\(node.name) has no mute. Use b to bypass it.", isError: false)
    }
    link.set(node.name, mute, "toggle")
  }

  // MARK: - Nodes

  /// Searches the catalogue, and adds a plugin after the selected part.
  func addPlugin() {
    let slot = model.selectedSlot
    let isInner = model.slot?.kind == .innerNode
    let position: Command.Position? =
      slot == "out" || isInner || slot.isEmpty ? nil : .after(slot)
    openCatalogue("Add a plugin") { [self] plugin in
      link.run(.insert(.init(.init(plugin), position: position))) { [self] reply in
        selectNewNode(reply)
      }
    }
  }

  /// Selects the node that a change has added.
  private func selectNewNode(_ reply: Reply) {
    guard let change = reply.change else { return }
    for case .rig(let state) in change.changes {
      let names = Set(nodesBefore)
      if let new = state.nodes.first(where: { !names.contains($0.name) }) {
        model.select(slot: new.name)
      }
    }
    nodesBefore = []
  }

  /// Searches the catalogue, and gives the selected node another plugin.
  func replacePlugin() {
    guard let node = model.node else { return }
    openCatalogue("Change the plugin of \(node.name)") { [self] plugin in
      link.run(.replace(.init(node: node.name, with: .init(plugin))))
    }
  }

  private func openCatalogue(_ title: String, choose: @escaping (String) -> Void) {
    let menu = MenuDialog(
      title, prompt: "What should it do? Type e.g. reverb or remove noise."
    ) { [self] text in search.begin { [self] in findPlugins(text, choose) } }
    dialog = menu
    search.begin { [self] in findPlugins("", choose) }
  }

  private func findPlugins(_ text: String, _ choose: @escaping (String) -> Void) {
    let query = String(text.prefix(60))
    let command = Command.Plugins(
      query: query.isEmpty ? nil : query, limit: query.isEmpty ? nil : 80)
    link.request(.plugins(command)) { [self] result in
      defer { search.end() }
      if case .failure(let error) = result { model.showMessage(error.message, isError: true) }
      guard case .success(let reply) = result, case .plugins(let found)? = reply.result else {
        return
      }
      if query.isEmpty { catalogue = Self.sorted(found) }
      guard search.isNewest, let menu = dialog as? MenuDialog else { return }
      let plugins = query.isEmpty ? catalogue : found.isEmpty ? matches(query) : found
      menu.show(
        plugins.map { plugin in
          MenuDialog.Item(text: plugin.name, detail: Self.detail(plugin)) { [self] in
            nodesBefore = model.state.nodes.map(\.name)
            choose(plugin.plugin)
          }
        })
    }
  }

  /// The plugins whose names contain a text, as the search by purpose needs whole words.
  private func matches(_ text: String) -> [PluginSummary] {
    let wanted = text.lowercased()
    return catalogue.filter {
      $0.name.lowercased().contains(wanted) || $0.category.lowercased().contains(wanted)
    }
  }

  /// Our own modules first, since they report units, choices and readouts.
  private static func sorted(_ plugins: [PluginSummary]) -> [PluginSummary] {
    plugins.sorted { one, other in
      (one.format == "lv2" ? 1 : 0, one.name.lowercased())
        < (other.format == "lv2" ? 1 : 0, other.name.lowercased())
    }
  }

  private static func detail(_ plugin: PluginSummary) -> String {
    [
      plugin.category, plugin.format == "lv2" ? "LV2" : "",
      "\(plugin.inputs) in, \(plugin.outputs) out",
    ].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// Removes the selected node or nested rig.
  func removeNode() {
    guard let slot = model.slot, slot.isUnit else { return }
    link.run(.remove(.init(node: slot.name))) { [self] _ in
      model.showMessage("\(slot.name) is removed. u brings it back.", isError: false)
    }
  }

  /// Moves the selected node or nested rig along the signal.
  func moveNode(by direction: Int) {
    guard let slot = model.slot, slot.isUnit else { return }
    guard let position = SignalOrder(model.state).position(of: slot.name, movedBy: direction) else {
      let end = direction < 0 ? "beginning" : "end"
      return model.showMessage("\(slot.name) is at the \(end) of the chain.", isError: false)
    }
    link.run(.move(.init(node: slot.name, to: position)))
  }

  /// Chooses a preset of the selected node.
  func choosePreset() {
    guard let node = model.node, let plugin = model.descriptions[node.plugin] else { return }
    guard !plugin.presets.isEmpty else {
      return model.showMessage("\(plugin.name) has no presets.", isError: false)
    }
    dialog = MenuDialog(
      "Presets of \(plugin.name)",
      items: plugin.presets.map { preset in
        MenuDialog.Item(text: preset) { [self] in link.set(node.name, "preset", preset) }
      })
  }

  /// Waits for a MIDI control for the selected value.
  func learn() {
    guard let row = model.selectedControl, row.parameter != nil, model.focus == .controls else {
      return model.showMessage("Select a control first.", isError: false)
    }
    guard model.learning == nil, link.status == .connected else { return }
    model.learning = row.learnTarget
    link.request(.learn(.init(target: row.learnTarget))) { [self] result in
      model.learning = nil
      switch result {
      case .success(let reply): for note in reply.notes { model.showMessage(note, isError: false) }
      case .failure(let error):
        model.showMessage(error.message, isError: error.kind != .interrupted)
      }
    }
  }

  /// Ends the waiting for a MIDI control.
  func cancelLearning() { link.run(.learn(.init())) }

  // MARK: - Rig

  /// Writes the rig file of the session.
  func save() {
    link.run(.save(.init())) { [self] _ in
      model.showMessage("The rig file of the session is saved.", isError: false)
    }
  }

  /// Asks for a file, and writes the rig to it.
  func promptForSave() {
    dialog = EntryDialog("Save as", hint: "Absolute path of a rig file") { [self] file in
      let path = URL(fileURLWithPath: file).standardizedFileURL.path
      link.run(.save(.init(file: path))) { [self] _ in
        model.showMessage("\(path): saved.", isError: false)
      }
    }
  }

  /// Chooses one of the installed rigs.
  func chooseRig() {
    link.run(.rigs) { [self] reply in
      guard case .rigs(let rigs)? = reply.result else { return }
      dialog = MenuDialog(
        "Open a rig",
        items: rigs.map { rig in
          MenuDialog.Item(text: rig.name) { [self] in link.run(.load(.init(file: rig.path))) }
        } + [
          MenuDialog.Item(text: "Type a path") { [self] in
            promptForPath("Open a rig") { [self] in link.run(.load(.init(file: $0))) }
          }
        ])
    }
  }

  /// Clears the clip marks.
  func resetClips() {
    model.input.reset()
    model.output.reset()
  }
}
