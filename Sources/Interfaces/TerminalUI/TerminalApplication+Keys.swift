// TerminalApplication+Keys.swift: keys, and the browser of files. SPDX-License-Identifier: MIT

import HostModel

extension TerminalApplication {
  /// How many steps Page Up and Page Down change a value.
  private static let pageSteps = 5.0

  /// Handles a key, the mouse, or pasted text, which means nothing here.
  func handleCommand(_ event: InputEvent, _ target: ScreenDrawing.Target?) {
    switch event {
    case .key(let key, let modifiers): handle(key, modifiers)
    case .mouse(let mouse): handle(mouse, target)
    case .paste: break
    }
  }

  private func handle(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) {
    if key == .escape, model.learning != nil { return cancelLearning() }
    model.message = nil
    if modifiers.contains(.control) { return handleControl(key) }
    if handleEverywhere(key, modifiers) { return }
    switch (model.page, model.focus) {
    case (.chain, .chain): handleChain(key)
    case (.chain, .controls): handleControls(key)
    case (.scenes, _): handleScenes(key)
    case (.transport, _): handleTransport(key)
    case (.status, _): handleStatus(key)
    }
  }

  private func handleControl(_ key: InputEvent.Key) {
    switch key {
    case .character("c"), .character("q"): quit()
    case .character("z"): suspend()
    case .character("s"): save()
    case .character("r"): link.run(.redo)
    default: break
    }
  }

  // MARK: - Everywhere

  private func handleEverywhere(
    _ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers
  ) -> Bool {
    switch key {
    case .character("q"): quit()
    case .character("?"), .function(1), .character("h"): dialog = HelpDialog()
    case .function(let number):
      if let page = DisplayModel.Page(rawValue: number - 2) { show(page) }
    case .tab: changePart(by: 1)
    case .backTab: changePart(by: -1)
    case .character("u"): link.run(.undo)
    case .character("r"): link.run(.redo)
    case .character("s"): save()
    case .character("S"): promptForSave()
    case .character("o"): chooseRig()
    case .character("x"): resetClips()
    case .character("["): link.run(.scene(.step(-1)))
    case .character("]"): link.run(.scene(.step(1)))
    case .character("n"): storeScene()
    default: return false
    }
    return true
  }

  /// Shows a page.
  func show(_ page: DisplayModel.Page) {
    model.page = page
    if page == .transport { pollTransport() }
  }

  /// The chain, its controls, and the other pages, in a ring.
  private func changePart(by step: Int) {
    let isControls = model.page == .chain && model.focus == .controls
    let part = isControls ? 1 : model.page == .chain ? 0 : model.page.rawValue + 1
    let count = DisplayModel.Page.allCases.count + 1
    let next = (part + step + count) % count
    model.focus = next == 1 ? .controls : .chain
    show(DisplayModel.Page(rawValue: max(0, next - 1)) ?? .chain)
  }

  // MARK: - Chain

  private func handleChain(_ key: InputEvent.Key) {
    switch key {
    case .up, .character("k"): moveSlot(by: -1)
    case .down, .character("j"): moveSlot(by: 1)
    case .pageUp: moveSlot(by: -Int(Self.pageSteps))
    case .pageDown: moveSlot(by: Int(Self.pageSteps))
    case .home: moveSlot(by: -model.slots.count)
    case .end: moveSlot(by: model.slots.count)
    case .right, .enter, .character("l"): model.focus = .controls
    case .character(" "): toggleBypass()
    case .delete: removeNode()
    default: handleNode(key)
    }
  }

  /// Selects another slot.
  func moveSlot(by step: Int) {
    let index = model.slots.firstIndex { $0.name == model.selectedSlot } ?? 0
    let next = max(0, min(model.slots.count - 1, index + step))
    if model.slots.indices.contains(next) { model.select(slot: model.slots[next].name) }
  }

  /// The keys for the selected node in both panes.
  private func handleNode(_ key: InputEvent.Key) {
    switch key {
    case .character("b"), .character("B"): toggleBypass()
    case .character("m"), .character("M"): toggleMute()
    case .character("a"): addPlugin()
    case .character("c"): replacePlugin()
    case .character("p"): choosePreset()
    case .character("v"): model.showsPlots.toggle()
    case .character("<"): moveNode(by: -1)
    case .character(">"): moveNode(by: 1)
    case .character("L"): learn()
    default: break
    }
  }

  // MARK: - Controls

  private func handleControls(_ key: InputEvent.Key) {
    switch key {
    case .up, .character("k"): moveRow(by: -1)
    case .down, .character("j"): moveRow(by: 1)
    case .escape: model.focus = .chain
    case .left, .character("-"): step(by: -1)
    case .right, .character("+"), .character("="): step(by: 1)
    case .pageUp: step(by: Self.pageSteps)
    case .pageDown: step(by: -Self.pageSteps)
    case .home: changeValue { parameter, _ in parameter.minimum }
    case .end: changeValue { parameter, _ in parameter.maximum }
    case .backspace, .delete: changeValue { parameter, value in parameter.standard ?? value }
    case .character(let digit) where digit.isASCII && digit.isNumber:
      let fraction = Double(digit.wholeNumberValue ?? 0) / 10
      changeValue { parameter, _ in parameter.value(at: fraction) }
    case .enter: activate()
    case .character(" "): pressSpace()
    default: handleNode(key)
    }
  }

  /// Selects another control; values of the plugin are skipped.
  func moveRow(by step: Int) {
    var index = model.selectedRow + step
    while model.rows.indices.contains(index) {
      if model.rows[index].isSelectable {
        model.selectedRow = index
        return
      }
      index += step
    }
  }

  /// Space changes a switch or starts a trigger; for other controls it bypasses.
  private func pressSpace() {
    guard let parameter = model.selectedControl?.parameter,
      parameter.isToggle || parameter.isTrigger
    else { return toggleBypass() }
    activate()
  }

  // MARK: - Other pages

  private func handleScenes(_ key: InputEvent.Key) {
    let last = model.state.scenes.count - 1
    switch key {
    case .up, .character("k"): model.selectedScene = max(0, model.selectedScene - 1)
    case .down, .character("j"): model.selectedScene = max(0, min(last, model.selectedScene + 1))
    case .home: model.selectedScene = 0
    case .end: model.selectedScene = max(0, last)
    case .enter, .character(" "): recallScene()
    case .escape: show(.chain)
    default: break
    }
  }

  private func handleTransport(_ key: InputEvent.Key) {
    let last = model.devices.count - 1
    switch key {
    case .up, .character("k"): model.selectedDevice = max(0, model.selectedDevice - 1)
    case .down, .character("j"):
      model.selectedDevice = max(0, min(last, model.selectedDevice + 1))
    case .enter: chooseTransportAction()
    case .character(" "): startOrStop()
    case .escape: show(.chain)
    default: break
    }
  }

  private func handleStatus(_ key: InputEvent.Key) {
    switch key {
    case .up, .character("k"): model.logTop -= 1
    case .down, .character("j"): model.logTop += 1
    case .pageUp: model.logTop -= 10
    case .pageDown: model.logTop += 10
    case .escape: show(.chain)
    default: break
    }
  }
}

extension TerminalApplication {
  /// Lets the user choose the file of a property, or type its text.
  func choose(
    _ property: PluginDescription.Property, _ value: String,
    accept: @escaping (String) -> Void
  ) {
    guard property.isFile else {
      dialog = EntryDialog(property.name, hint: "Text", text: value, accept: accept)
      return
    }
    let browser = MenuDialog(property.name)
    dialog = browser
    let directory = value.hasPrefix("/") ? Self.parent(of: value) : nil
    open(directory, in: browser, property.name, value, accept)
  }

  /// Asks for a path.
  func promptForPath(_ title: String, text: String = "", accept: @escaping (String) -> Void) {
    dialog = EntryDialog(
      title, hint: "Absolute path on the machine of the session", text: text, accept: accept)
  }

  /// Shows a directory in a list; nil for the home directory.
  private func open(
    _ directory: String?, in browser: MenuDialog, _ title: String, _ value: String,
    _ accept: @escaping (String) -> Void
  ) {
    link.request(.files(.init(directory: directory))) { [self, weak browser] result in
      guard let browser, dialog === browser else { return }
      switch result {
      case .success(let reply):
        guard case .files(let list)? = reply.result else { return }
        show(list, in: browser, title, value, accept)
      case .failure(let error):
        // The directory of the present file may be gone: the home directory is there.
        guard directory != nil, browser.isEmpty else {
          return model.showMessage(error.message, isError: true)
        }
        open(nil, in: browser, title, value, accept)
      }
    }
  }

  private func show(
    _ list: FileList, in browser: MenuDialog, _ title: String, _ value: String,
    _ accept: @escaping (String) -> Void
  ) {
    let here = list.directory == "/" ? "" : list.directory
    let enter = { [self, weak browser] (directory: String) in
      if let browser { open(directory, in: browser, title, value, accept) }
    }
    let up = Self.parent(of: list.directory)
    var items = list.entries.map { entry in
      let path = "\(here)/\(entry.name)"
      return entry.directory
        ? MenuDialog.Item(text: entry.name + "/", staysOpen: true) { enter(path) }
        : MenuDialog.Item(text: entry.name) { accept(path) }
    }
    let current = list.entries.firstIndex { "\(here)/\($0.name)" == value }
    if !here.isEmpty {
      items.insert(MenuDialog.Item(text: "../", detail: up, staysOpen: true) { enter(up) }, at: 0)
    }
    items.append(
      MenuDialog.Item(text: "Type a path") { [self] in
        promptForPath(title, text: value.isEmpty ? "\(here)/" : value, accept: accept)
      })
    browser.returnToParent = here.isEmpty ? nil : { enter(up) }
    browser.show(
      items, prompt: list.directory,
      selected: current.map { $0 + (here.isEmpty ? 0 : 1) } ?? 0)
  }

  /// The directory of a path; `/` for the root.
  private static func parent(of path: String) -> String {
    let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    return parent.isEmpty ? "/" : String(parent)
  }
}
