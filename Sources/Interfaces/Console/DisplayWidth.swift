// DisplayWidth.swift: the width of text on a terminal. SPDX-License-Identifier: MIT

import PluginModel

extension StringProtocol {
  /// The width of text in terminal columns: two for East Asian wide characters and emoji, one for any other. [any]
  ///
  /// The ranges are those of Unicode's East Asian Width, rounded to blocks. The result of the C library depends on
  /// the locale.
  package var columnCount: Int {
    // Most text is ASCII, which needs no search for character boundaries.
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columnCount }
  }

  /// Returns the longest prefix that fits into `columns`. [any]
  package func prefix(columns: Int) -> SubSequence {
    var used = 0
    var end = startIndex
    while end < endIndex {
      used += self[end].columnCount
      if used > columns { break }
      end = index(after: end)
    }
    return self[..<end]
  }
}

extension String {
  /// The text on one line, with spaces for tabs and line feeds, and without control characters.
  package var printable: String {
    if utf8.allSatisfy({ 0x20 ..< 0x7f ~= $0 }) { return self }
    return String(
      String.UnicodeScalarView(visible.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 }))
  }
}

extension Character {
  /// The width in columns.
  var columnCount: Int {
    guard let first = unicodeScalars.first, first.value >= 0x300 else { return 1 }
    // A combining mark at the start of a text is a separate character.
    if first.properties.generalCategory == .nonspacingMark { return 0 }
    let isEmoji =
      first.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xfe0f }
    return isEmoji || Self.wide.contains { $0 ~= first.value } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100 ... 0x115f, 0x2e80 ... 0x303e, 0x3041 ... 0x4dbf, 0x4e00 ... 0xa4cf, 0xa960 ... 0xa97c,
    0xac00 ... 0xd7a3, 0xf900 ... 0xfaff, 0xfe30 ... 0xfe6f, 0xff01 ... 0xff60, 0xffe0 ... 0xffe6,
    0x1f300 ... 0x1f64f, 0x1f900 ... 0x1f9ff, 0x2_0000 ... 0x3_fffd,
  ]
}
