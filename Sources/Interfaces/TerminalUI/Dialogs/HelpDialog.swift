// HelpDialog.swift: the keys. SPDX-License-Identifier: MIT

import Console

/// A text that can be scrolled. [main]
final class HelpDialog: ScreenDialog {
  private static let text: [(keys: String, effect: String)] = [
    ("Tab, F2 to F5", "next part, pages"),
    ("up, down", "select"),
    ("left, right, - +", "change the value by a step"),
    ("Page Up, Page Down", "change it by five steps"),
    ("0 to 9", "set 0 to 90 % of the scale"),
    ("Home, End", "lowest, highest value"),
    ("Enter", "type a value, open a menu"),
    ("Backspace, Delete", "default value"),
    ("Space", "bypass; the selected switch"),
    ("b, m", "bypass, mute"),
    ("p", "presets of the plugin"),
    ("v", "show or hide the plot of a plugin"),
    ("L", "learn a MIDI control"),
    ("a", "add a plugin after the selected one"),
    ("c", "change to another plugin"),
    ("Delete", "remove the plugin (in the chain)"),
    ("< >", "move the plugin"),
    ("[ ]", "previous, next scene"),
    ("n", "store a scene"),
    ("u, r", "undo, redo"),
    ("s, S", "save, save to another file"),
    ("o", "open another rig"),
    ("x", "reset clip marks"),
    ("q, Ctrl C", "quit; the session continues"),
    ("", ""),
    ("Mouse", "click selects, dragging and the wheel change"),
    ("", "values, a click on a lamp bypasses"),
  ]

  private var top = 0
  private var visible = 1

  var hints: [KeyHint] { [KeyHint("Esc", "Close", .escape), KeyHint("up down", "Scroll")] }

  func draw(_ drawing: inout ScreenDrawing) {
    let inner = drawing.dialogBox(title: "Help", rows: Self.text.count, columns: 66)
    visible = inner.rows
    top = max(0, min(top, Self.text.count - visible))
    for (line, entry) in Self.text.dropFirst(top).prefix(inner.rows).enumerated() {
      let width = min(20, inner.columns / 2)
      drawing.write(entry.keys, inner.line(line), width: width - 1, Style(.accent))
      drawing.write(entry.effect, inner.line(line), from: width, .plain)
    }
    drawing.drawScroll(inner, top: top, visible: visible, count: Self.text.count)
  }

  func handle(_ event: InputEvent, _ target: ScreenDrawing.Target?) -> Bool {
    switch event {
    case .key(.up, _), .key(.character("k"), _): top -= 1
    case .key(.down, _), .key(.character("j"), _): top += 1
    case .key(.pageUp, _): top -= visible
    case .key(.pageDown, _), .key(.character(" "), _): top += visible
    case .mouse(let mouse):
      if case .wheel(let direction) = mouse.action { top -= direction }
      if case .press = mouse.action { return false }
    default: return false
    }
    return true
  }
}
