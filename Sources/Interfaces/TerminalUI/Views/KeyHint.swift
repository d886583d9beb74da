// KeyHint.swift: the keys that the last line names. SPDX-License-Identifier: MIT

/// A key and what it does.
struct KeyHint {
  var label: String
  var text: String
  /// The key that a click means; nil if the label names several keys.
  var key: InputEvent.Key?

  init(_ label: String, _ text: String, _ key: InputEvent.Key? = nil) {
    (self.label, self.text, self.key) = (label, text, key)
  }

  /// The columns that it takes.
  var width: Int { label.count + text.count + 1 }

  private static let common = [
    KeyHint("u", "Undo", .character("u")), KeyHint("s", "Save", .character("s")),
  ]

  /// The keys at the right edge, which are always there.
  static let last = [
    KeyHint("?", "Help", .character("?")), KeyHint("q", "Quit", .character("q")),
  ]

  /// The keys for what is selected, the most useful first.
  static func hints(_ model: DisplayModel) -> [KeyHint] {
    switch (model.page, model.focus) {
    case (.chain, .chain):
      [
        KeyHint("a", "Add", .character("a")), KeyHint("b", "Bypass", .character("b")),
        KeyHint("Tab", "Controls", .tab),
      ] + common + [KeyHint("Del", "Remove", .delete), KeyHint("< >", "Move")]
    case (.chain, .controls):
      [
        KeyHint("<- ->", "Change"), KeyHint("Enter", "Type", .enter),
        KeyHint("Tab", "Next", .tab),
      ] + common
        + [KeyHint("b", "Bypass", .character("b")), KeyHint("L", "Learn", .character("L"))]
    case (.scenes, _):
      [KeyHint("Enter", "Recall", .enter), KeyHint("n", "Store", .character("n"))] + common
    case (.transport, _):
      [KeyHint("Space", "Start, stop", .character(" ")), KeyHint("Enter", "More", .enter)] + common
    case (.status, _): [KeyHint("Tab", "Chain", .tab)] + common
    }
  }
}
