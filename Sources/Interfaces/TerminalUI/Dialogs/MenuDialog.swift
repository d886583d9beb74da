// MenuDialog.swift: a list to choose from, with a search. SPDX-License-Identifier: MIT

import Console

/// A list of which one line is chosen; typing searches it. [main]
final class MenuDialog: ScreenDialog {
  /// A line.
  struct Item {
    var text: String
    var detail = ""
    /// Whether the list stays, as for a directory that is opened.
    var staysOpen = false
    var choose: () -> Void
  }

  private static let widestColumns = 72

  private let title: String
  private var prompt: String
  private var field = TextField()
  private var items: [Item]
  private var selected: Int
  private var top = 0
  private var visible = 1
  /// Whether the lines for the text have not arrived yet.
  private var isSearching: Bool
  /// Replaces the items for a text; nil if the lines themselves are searched.
  private let search: ((String) -> Void)?
  /// Called for Backspace without a text, as for the directory above; nil if there is nothing.
  var returnToParent: (() -> Void)?

  /// A list of lines.
  ///
  /// - Parameters:
  ///   - title: what is chosen.
  ///   - prompt: what can be typed.
  ///   - items: the lines.
  ///   - selected: the line at the start.
  ///   - search: called with each text that is typed; nil to search the lines.
  init(
    _ title: String, prompt: String = "", items: [Item] = [], selected: Int = 0,
    search: ((String) -> Void)? = nil
  ) {
    (self.title, self.prompt, self.items) = (title, prompt, items)
    (self.selected, self.search) = (selected, search)
    isSearching = search != nil
  }

  /// Replaces the lines.
  func show(_ items: [Item]) {
    self.items = items
    (selected, top, isSearching) = (0, 0, false)
  }

  /// Replaces the lines, and removes the text that was typed.
  ///
  /// - Parameters:
  ///   - items: the lines.
  ///   - prompt: shown above the lines.
  ///   - selected: the line that is selected.
  func show(_ items: [Item], prompt: String, selected: Int) {
    (self.prompt, field) = (prompt, TextField())
    show(items)
    self.selected = selected
  }

  /// Whether the menu has no entries.
  var isEmpty: Bool { items.isEmpty }

  var hints: [KeyHint] {
    [
      KeyHint("Enter", "Choose", .enter), KeyHint("Esc", "Cancel", .escape),
      KeyHint("text", "Search"),
    ]
  }

  /// The lines that contain the text.
  private var shown: [Item] {
    let wanted = field.text.lowercased()
    guard search == nil, !wanted.isEmpty else { return items }
    return items.filter { $0.text.lowercased().contains(wanted) }
  }

  func draw(_ drawing: inout ScreenDrawing) {
    let lines = shown
    let wanted = search == nil ? max(4, min(items.count + 1, 18)) : 18
    let inner = drawing.dialogBox(
      title: title, rows: wanted, columns: min(Self.widestColumns, drawing.layout.columns - 8))
    if field.text.isEmpty, !prompt.isEmpty {
      drawing.write(prompt, inner.line(0), Style(.dim))
    } else if !field.text.isEmpty || search != nil {
      drawing.drawField(field, inner.line(0))
    } else {
      drawing.write("\(items.count) entries. Type to search.", inner.line(0), Style(.dim))
    }
    var list = inner
    list.row += 1
    list.rows -= 1
    visible = max(1, list.rows)
    selected = min(selected, max(0, lines.count - 1))
    top = ScreenLayout.top(top, selected: selected, count: lines.count, visible: list.rows)
    for (line, item) in lines.dropFirst(top).prefix(list.rows).enumerated() {
      draw(item, top + line, list.line(line), &drawing)
    }
    if lines.isEmpty {
      drawing.write(isSearching ? "Searching ..." : "Nothing matches.", list.line(0), Style(.dim))
    }
    drawing.drawScroll(list, top: top, visible: list.rows, count: lines.count)
  }

  private func draw(
    _ item: Item, _ index: Int, _ area: Rectangle, _ drawing: inout ScreenDrawing
  ) {
    let ground: Style.Ground = index == selected ? .selection : .none
    drawing.buffer.clear(area, Style(.plain, on: ground))
    drawing.mark(area, .dialogItem(index))
    let detail = min(item.detail.printable.columnCount, area.columns / 2)
    drawing.write(
      item.text, area, from: 1, width: area.columns - 2 - (detail > 0 ? detail + 2 : 0),
      Style(.plain, on: ground))
    drawing.write(
      item.detail, area, from: area.columns - detail - 1, width: detail, Style(.dim, on: ground))
  }

  func handle(_ event: InputEvent, _ target: ScreenDrawing.Target?) -> Bool {
    switch event {
    case .paste(let text): edit { $0.insert(text) }
    case .mouse(let mouse): return handle(mouse, target)
    case .key(.escape, _), .key(.character("c"), .control): return false
    case .key(.enter, _): return choose(selected)
    case .key(.backspace, _) where field.text.isEmpty: returnToParent?()
    case .key(let key, let modifiers):
      if !step(key) { edit { _ = $0.handle(key, modifiers) } }
    }
    return true
  }

  private func handle(_ mouse: InputEvent.Mouse, _ target: ScreenDrawing.Target?) -> Bool {
    switch (mouse.action, target) {
    case (.wheel(let direction), _): move(-direction)
    case (.press, .dialogItem(let index)?): return choose(index)
    case (.press, .key(let key)?): return handle(.key(key, []), nil)
    default: break
    }
    return true
  }

  private func step(_ key: InputEvent.Key) -> Bool {
    switch key {
    case .up: move(-1)
    case .down, .tab: move(1)
    case .pageUp: move(-visible)
    case .pageDown: move(visible)
    default: return false
    }
    return true
  }

  private func move(_ step: Int) {
    selected = max(0, min(shown.count - 1, selected + step))
  }

  private func choose(_ index: Int) -> Bool {
    guard shown.indices.contains(index) else { return true }
    let item = shown[index]
    item.choose()
    return item.staysOpen
  }

  private func edit(_ change: (inout TextField) -> Void) {
    let before = field.text
    change(&field)
    guard field.text != before else { return }
    if let search {
      isSearching = true
      search(field.text)
    } else {
      selected = 0
    }
  }
}
