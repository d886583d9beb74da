// TerminalApplication+Pages.swift: pages, and the mouse. SPDX-License-Identifier: MIT

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
      link.run(.scene(.store(name))) { [self] _ in
        model.showMessage("Stored \(name).", isError: false)
      }
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
    perform(device, isRunning ? "stop" : "start")
  }

  /// Chooses an action for the selected recorder or player.
  func chooseTransportAction() {
    guard let device else { return }
    let actions = device.plugin == "recorder" ? Self.recordActions : Self.playActions
    dialog = MenuDialog(
      device.name,
      items: actions.map { action in
        MenuDialog.Item(text: action) { [self] in perform(device, action) }
      })
  }

  private func perform(_ device: SessionState.Node, _ action: String) {
    guard action == "mark" || action == "seek" else { return perform(device, action, text: nil) }
    let isMark = action == "mark"
    dialog = EntryDialog(
      isMark ? "Set a marker" : "Seek", hint: isMark ? "Text" : "Position, such as 1:23"
    ) { [self] in perform(device, action, text: $0) }
  }

  private func perform(_ device: SessionState.Node, _ action: String, text: String?) {
    let command: Command? =
      device.plugin == "recorder"
      ? Command.Record.Action(action, text: text).map {
        .record(.init(node: device.name, action: $0))
      }
      : Command.Play.Action(action, text: text).map { .play(.init(node: device.name, action: $0)) }
    guard let command else { return }
    link.run(command) { [self] _ in pollTransport() }
  }

  /// Requests the states, which arrive as one message for each recorder and player.
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

extension TerminalApplication {
  /// Handles the mouse over a part of the screen.
  func handle(_ mouse: InputEvent.Mouse, _ target: ScreenDrawing.Target?) {
    switch mouse.action {
    case .press(0):
      model.message = nil
      press(mouse, target)
    case .drag:
      if let drag { moveControl(drag.row, drag.scale, column: mouse.column) }
    case .release: drag = nil
    case .wheel(let direction): turn(direction, mouse.modifiers, target)
    case .press: break
    }
  }

  private func press(_ mouse: InputEvent.Mouse, _ target: ScreenDrawing.Target?) {
    switch target {
    case .slot(let name)?:
      model.select(slot: name)
      model.focus = .chain
    case .bypass(let name)?: link.set(name, "bypass", "toggle")
    case .row(let index)?: pressRow(index)
    case .scale(let index, let scale)?:
      select(row: index)
      drag = (index, scale)
      moveControl(index, scale, column: mouse.column)
    case .page(let page)?: show(page)
    case .scene(let index)?:
      model.selectedScene = index
      recallScene()
    case .device(let index)?:
      model.selectedDevice = index
      chooseTransportAction()
    case .clip?: resetClips()
    case .key(let key)?: handleCommand(.key(key, []), nil)
    case .dialogItem?, nil: break
    }
  }

  /// A click on a switch or a menu changes it; on the name of a slider it selects.
  private func pressRow(_ index: Int) {
    let isSelected = model.selectedRow == index && model.focus == .controls
    select(row: index)
    guard let row = model.selectedControl else { return }
    let isSlider = row.parameter.map { !$0.isToggle && !$0.isChoice && !$0.isTrigger } ?? false
    if !isSlider || isSelected { activate() }
  }

  private func select(row index: Int) {
    guard model.rows.indices.contains(index) else { return }
    model.selectedRow = index
    model.focus = .controls
  }

  private func moveControl(_ index: Int, _ scale: Rectangle, column: Int) {
    guard model.rows.indices.contains(index), model.selectedRow == index else { return }
    let fraction = Double(column - scale.column) / Double(max(1, scale.columns - 1))
    changeValue { parameter, _ in parameter.value(at: fraction) }
  }

  private func turn(
    _ direction: Int, _ modifiers: InputEvent.Modifiers, _ target: ScreenDrawing.Target?
  ) {
    switch target {
    case .scale(let index, _)?:
      select(row: index)
      step(by: Double(direction) * (modifiers.contains(.shift) ? 0.2 : 1))
    case .row?: moveRow(by: -direction)
    case .slot?, .bypass?: moveSlot(by: -direction)
    case .scene?:
      let last = max(0, model.state.scenes.count - 1)
      model.selectedScene = max(0, min(last, model.selectedScene - direction))
    default: if model.page == .status { model.logTop -= direction }
    }
  }
}
