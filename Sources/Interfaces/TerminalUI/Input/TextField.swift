// TextField.swift: a line of text that is edited. SPDX-License-Identifier: MIT

import Console

/// Text with a cursor, and the keys that change both.
struct TextField: Equatable, Sendable {
  /// The maximum length of the text; more is ignored.
  private static let longest = 4_096

  /// The text by code points, so that the cursor can be next to each of them.
  private(set) var scalars: [Unicode.Scalar]
  /// The number of code points before the cursor.
  private(set) var cursor: Int

  /// Creates a text with the cursor at its end.
  init(_ text: String = "") {
    scalars = Array(text.unicodeScalars)
    cursor = scalars.count
  }

  /// The whole text.
  var text: String { String(String.UnicodeScalarView(scalars)) }

  /// The text before the cursor.
  var beforeCursor: String { String(String.UnicodeScalarView(scalars[..<cursor])) }

  /// Changes the text; false if the key has another meaning.
  mutating func handle(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    if modifiers.contains(.control) { return handleControl(key) }
    switch key {
    case .character(let character) where !modifiers.contains(.alt): insert(String(character))
    case .backspace: remove(max(0, cursor - 1) ..< cursor)
    case .delete: remove(cursor ..< min(scalars.count, cursor + 1))
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(scalars.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = scalars.count
    default: return false
    }
    return true
  }

  /// Inserts text at the cursor, on one line.
  mutating func insert(_ text: String) {
    let clean = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f ..< 0xa0 ~= $0.value) }
      .prefix(max(0, Self.longest - scalars.count))
    scalars.insert(contentsOf: clean, at: cursor)
    cursor += clean.count
  }

  /// Replaces the text before the cursor from an offset on.
  mutating func replace(from offset: Int, with text: String) {
    remove(min(offset, cursor) ..< cursor)
    insert(text)
  }

  private mutating func handleControl(_ key: InputEvent.Key) -> Bool {
    switch key {
    case .character("a"): cursor = 0
    case .character("e"): cursor = scalars.count
    case .character("b"): cursor = max(0, cursor - 1)
    case .character("f"): cursor = min(scalars.count, cursor + 1)
    case .character("h"): remove(max(0, cursor - 1) ..< cursor)
    case .character("k"): remove(cursor ..< scalars.count)
    case .character("u"): remove(0 ..< cursor)
    case .character("w"): remove(startOfWord ..< cursor)
    case .left: cursor = startOfWord
    case .right: cursor = endOfWord
    default: return false
    }
    return true
  }

  private mutating func remove(_ range: Range<Int>) {
    scalars.removeSubrange(range)
    cursor = range.lowerBound
  }

  private var startOfWord: Int {
    var position = cursor
    while position > 0, scalars[position - 1] == " " { position -= 1 }
    while position > 0, scalars[position - 1] != " " { position -= 1 }
    return position
  }

  private var endOfWord: Int {
    var position = cursor
    while position < scalars.count, scalars[position] == " " { position += 1 }
    while position < scalars.count, scalars[position] != " " { position += 1 }
    return position
  }
}
