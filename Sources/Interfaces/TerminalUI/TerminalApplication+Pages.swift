// TerminalApplication+Pages.swift: scenes, recorders and players. SPDX-License-Identifier: MIT

import HostModel

extension TerminalApplication {
  private static let recordActions = ["start", "stop", "pause", "resume", "split", "mark"]
  private static let playActions = ["start", "stop", "pause", "previous", "next", "seek"]

  // MARK: - Scenes

  /// Recalls the selected scene.
  func recallScene() {
    guard model.state.scenes.indices.contains(model.selectedScene) else { return }
    link.run(.scene(.recall(model.state.scenes[model.selectedScene].name, over: nil)))
  }

  /// Asks for a name, and stores the present values as a scene.
  func storeScene() {
    let current = model.state.scenes.first(where: \.current)?.name ?? ""
    dialog = EntryDialog(
      "Store a scene", hint: "Name; a scene of the same name is replaced", text: current
    ) { [self] name in
      link.run(.scene(.store(name))) { [self] _ in model.say("Stored \(name).", isError: false) }
    }
  }

  // MARK: - Recorders and players

  private var device: SessionState.Node? {
    model.devices.indices.contains(model.selectedDevice)
      ? model.devices[model.selectedDevice] : nil
  }

  /// Starts the selected recorder or player, or stops it if it runs.
  func startOrStop() {
    guard let device else { return }
    let isRunning = TransportState.isRunning(model.transport[device.name] ?? "")
    act(device, isRunning ? "stop" : "start")
  }

  /// Chooses an action for the selected recorder or player.
  func chooseTransportAction() {
    guard let device else { return }
    let actions = device.plugin == "recorder" ? Self.recordActions : Self.playActions
    dialog = MenuDialog(
      device.name,
      items: actions.map { action in
        MenuDialog.Item(text: action) { [self] in act(device, action) }
      })
  }

  private func act(_ device: SessionState.Node, _ action: String) {
    guard action == "mark" || action == "seek" else { return act(device, action, text: nil) }
    let isMark = action == "mark"
    dialog = EntryDialog(
      isMark ? "Set a marker" : "Seek", hint: isMark ? "Text" : "Position, such as 1:23"
    ) { [self] in act(device, action, text: $0) }
  }

  private func act(_ device: SessionState.Node, _ action: String, text: String?) {
    let command: Command? =
      device.plugin == "recorder"
      ? Command.Record.Action(action, text: text).map {
        .record(.init(node: device.name, action: $0))
      }
      : Command.Play.Action(action, text: text).map { .play(.init(node: device.name, action: $0)) }
    guard let command else { return }
    link.run(command) { [self] _ in pollTransport() }
  }

  /// Asks for the states, which arrive as a sentence for each recorder and player.
  func pollTransport() {
    for command in [Command.record(.init()), .play(.init())] {
      let plugin = command.name == .record ? "recorder" : "player"
      guard model.devices.contains(where: { $0.plugin == plugin }) else { continue }
      link.request(command) { [self] result in
        guard case .success(let reply) = result else { return }
        for note in reply.notes { take(transportNote: note) }
      }
    }
  }

  private func take(transportNote note: String) {
    let names = model.devices.map(\.name).filter { note.hasPrefix("\($0) ") }
    guard let name = names.max(by: { $0.count < $1.count }) else { return }
    model.transport[name] = String(note.dropFirst(name.count + 1))
  }
}
