// YAMLText.swift: writes text as YAML. SPDX-License-Identifier: MIT

/// Spells values so that any YAML parser reads them correctly.
package enum YAMLText {
  /// Returns a text without quotes if that is unambiguous, otherwise with quotes.
  package static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// A list on one line.
  package static func list(_ texts: [String]) -> String {
    "[\(texts.map(scalar).joined(separator: ", "))]"
  }

  /// Words that other parsers do not read as text.
  private static let taken: Set<String> = [
    "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.first, let last = text.last, last != " ",
      !taken.contains(text.lowercased())
    else { return false }
    let isStart = first.isASCII && (first.isLetter || first.isNumber || first == "/")
    let isNumber = first == "-" && text.dropFirst().first?.isNumber == true
    return (isStart || isNumber)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " _-./>%".contains($0)) }
  }

  /// In double quotes, in which everything can be spelt.
  private static func quoted(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\t": escaped += "\\t"
      case _ where isUnprintable(scalar):
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }

  /// Whether a character cannot be written without an escape, or ends a line for some readers.
  private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0 ..< 0x20, 0x7F ... 0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  /// Returns one line of a comment: characters that cannot be written become blanks.
  package static func comment(_ text: String) -> String {
    var line = "# "
    for scalar in text.unicodeScalars {
      line.unicodeScalars.append(isUnprintable(scalar) ? " " : scalar)
    }
    return line
  }
}
