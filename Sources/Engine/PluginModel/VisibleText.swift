// VisibleText.swift: text that cannot steer a terminal. SPDX-License-Identifier: MIT

extension StringProtocol {
  /// The text with escapes such as `\u{1B}` for characters that control a terminal, or that are
  /// invisible and change the order of others. [any]
  ///
  /// Line feeds and tabs are kept. A carriage return before a line feed is dropped.
  package var visible: String {
    spelledOut { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// The text with the same characters as JSON escapes, for text that is already JSON. [any]
  package var visibleInJSON: String {
    spelledOut { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private func spelledOut(_ spelling: (Unicode.Scalar) -> String) -> String {
    // Most text is unchanged. A `String` is searched without calls through the protocol.
    let whole = String(self)
    if whole.utf8.allSatisfy({ 0x20 ..< 0x7f ~= $0 || $0 == 0x0a || $0 == 0x09 }) { return whole }
    if !whole.unicodeScalars.contains(where: { $0 == "\r" || $0.isControlCharacter }) {
      return whole
    }
    var text = String.UnicodeScalarView()
    var isReturn = false
    for scalar in whole.unicodeScalars {
      if isReturn, scalar != "\n" { text.append(contentsOf: spelling("\r").unicodeScalars) }
      isReturn = scalar == "\r"
      if isReturn { continue }
      if scalar.isControlCharacter {
        text.append(contentsOf: spelling(scalar).unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    if isReturn { text.append(contentsOf: spelling("\r").unicodeScalars) }
    return String(text)
  }

  /// Returns at most `count` code points of the text, with an ellipsis if there are more. [any]
  package func clipped(to count: Int) -> String {
    // Counted in code points: a letter with thousands of combining marks is a single character.
    let scalars = unicodeScalars
    guard utf8.count > count,
      let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return String(self) }
    return String(String.UnicodeScalarView(scalars[..<end])) + "…"
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may execute the character as a command, or display the following text in
  /// another order.
  fileprivate var isControlCharacter: Bool {
    switch value {
    case 0x09, 0x0a: false
    // The control characters of ASCII and of Latin-1.
    case 0 ..< 0x20, 0x7f ..< 0xa0: true
    // Marks, embeddings, overrides and isolates of bidirectional text.
    case 0x61c, 0x200e, 0x200f, 0x202a ... 0x202e, 0x2066 ... 0x2069: true
    // Separators of lines and paragraphs; deprecated and interlinear formatting.
    case 0x2028, 0x2029, 0x206a ... 0x206f, 0xfff9 ... 0xfffb: true
    default: false
    }
  }
}
