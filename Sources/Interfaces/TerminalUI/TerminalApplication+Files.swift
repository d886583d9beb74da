// TerminalApplication+Files.swift: choosing a file of the machine that runs the session. SPDX-License-Identifier: MIT

import HostModel

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
  func askPath(_ title: String, text: String = "", accept: @escaping (String) -> Void) {
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
          return model.say(error.message, isError: true)
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
        askPath(title, text: value.isEmpty ? "\(here)/" : value, accept: accept)
      })
    browser.goBack = here.isEmpty ? nil : { enter(up) }
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
