// EntryDialog.swift: asks for a text. SPDX-License-Identifier: MIT

import Console

/// A line to type into. [main]
final class EntryDialog: ScreenDialog {
  private let title: String
  private let hint: String
  private var field: TextField
  private let accept: (String) -> Void
  /// The next key replaces the text that was there at the start.
  private var isFresh = true

  /// Asks for a text.
  ///
  /// - Parameters:
  ///   - title: what it is for.
  ///   - hint: what is accepted.
  ///   - text: the text at the start.
  ///   - accept: called with the text, if it is not empty.
  init(_ title: String, hint: String, text: String = "", accept: @escaping (String) -> Void) {
    (self.title, self.hint, self.accept) = (title, hint, accept)
    field = TextField(text)
  }

  var hints: [KeyHint] {
    [KeyHint("Enter", "Accept", .enter), KeyHint("Esc", "Cancel", .escape)]
  }

  func draw(_ drawing: inout ScreenDrawing) {
    let width = min(60, max(36, hint.columnCount, title.columnCount + 4))
    let inner = drawing.dialogBox(title: title, rows: 3, columns: width)
    drawing.write(hint, inner.line(0), Style(.dim))
    drawing.drawField(field, inner.line(1))
  }

  func handle(_ event: InputEvent, _ target: ScreenDrawing.Target?) -> Bool {
    switch event {
    case .paste(let text):
      replaceIfFresh()
      field.insert(text)
    case .mouse(let mouse):
      if case .press = mouse.action, case .key(let key)? = target {
        return handle(.key(key, []), nil)
      }
    case .key(.escape, _), .key(.character("c"), .control): return false
    case .key(.enter, _):
      if !field.text.isEmpty { accept(field.text) }
      return false
    case .key(let key, let modifiers):
      if case .character = key, modifiers.isEmpty { replaceIfFresh() }
      _ = field.handle(key, modifiers)
      isFresh = false
    }
    return true
  }

  private func replaceIfFresh() {
    if isFresh { field = TextField() }
    isFresh = false
  }
}
