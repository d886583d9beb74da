// Quantity.swift: parses numbers with units. SPDX-License-Identifier: MIT

/// A decimal number and the unit that follows it, for instance `2.5 s`, `-6dB`, `1e3`.
package struct Quantity: Equatable {
  /// Finite.
  package var value: Double
  /// The unit as it is written; empty if there is none.
  package var unit: String

  /// Parses a text; returns nil unless it begins with a finite decimal number.
  ///
  /// `inf`, `nan` and `0x10` are rejected.
  package init?(_ text: String) {
    var scanner = Scanner(rest: Substring(text.trimmed))
    guard let number = scanner.number(), number.isFinite else { return nil }
    value = number
    unit = String(scanner.rest).trimmed
    // Text directly after a number must be a unit, not more digits as in 1.2.3 or 1_000.
    guard let first = unit.first else { return }
    let beginsAsUnit = first.isLetter || "%°:".contains(first)
    let hasDigits = unit.dropFirst(first == ":" ? unit.count : 0).contains(where: \.isNumber)
    if !beginsAsUnit || hasDigits { return nil }
  }

  /// Converts the value to another unit of the same kind; returns nil for a unit of another kind.
  package func converted(to target: String) -> Double? {
    let (from, to) = (Self.normalised(unit), Self.normalised(target))
    if from == to { return value }
    for family in Self.families {
      if let scale = family[from], let other = family[to] { return value * scale / other }
    }
    // Shares of one are written as percentages.
    if from == "%", to.isEmpty { return value / 100 }
    return nil
  }

  /// Whether a word is a unit that values are written in, in any letter case. [any]
  package static func isUnit(_ word: String) -> Bool {
    let unit = normalised(word)
    return ["db", "%"].contains(unit) || families.contains { $0[unit] != nil }
  }

  private static let families: [[String: Double]] = [
    ["us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3_600],
    ["mhz": 1e6, "khz": 1e3, "hz": 1],
    ["cent": 1, "semitone": 100, "octave": 1200],
  ]

  private static let synonyms: [String: String] = [
    "µs": "us", "μs": "us", "sec": "s", "second": "s", "seconds": "s", "minutes": "min",
    "hour": "h", "hours": "h",
    "ct": "cent", "cents": "cent", "st": "semitone", "semitones": "semitone",
    "oct": "octave", "octaves": "octave", "percent": "%", "pc": "%",
  ]

  private static func normalised(_ unit: String) -> String {
    let lower = unit.trimmed.lowercased()
    return synonyms[lower] ?? lower
  }
}

/// Reads a number from the start of a text.
///
/// The library's parser would also accept hexadecimal, `nan` and `infinity`.
private struct Scanner {
  var rest: Substring

  mutating func number() -> Double? {
    var digits = ""
    if let sign = rest.first, "+-\u{2212}".contains(sign) {
      rest.removeFirst()
      digits += sign == "+" ? "" : "-"
    }
    let whole = run()
    var fraction = ""
    if rest.first == "." {
      rest.removeFirst()
      fraction = run()
    }
    guard !(whole.isEmpty && fraction.isEmpty) else { return nil }
    digits += (whole.isEmpty ? "0" : whole) + "." + (fraction.isEmpty ? "0" : fraction)
    return Double(digits + exponent())
  }

  private mutating func run() -> String {
    let digits = Substring(rest.utf8.prefix { UInt8(ascii: "0") ... UInt8(ascii: "9") ~= $0 })
    rest = rest[digits.endIndex...]
    return String(digits)
  }

  private mutating func exponent() -> String {
    guard let letter = rest.first, "eE".contains(letter) else { return "" }
    let before = rest
    rest.removeFirst()
    var sign = ""
    if let first = rest.first, "+-".contains(first) {
      sign = String(rest.removeFirst())
    }
    let digits = run()
    if digits.isEmpty {
      rest = before
      return ""
    }
    return "e" + sign + digits
  }
}

/// A number without a needless `.0`.
package func plain(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
  let text = value.description
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// Parses a switch position: `true` for on, `false` for off, in any usual spelling; nil for anything else.
package func switchPosition(_ text: String) -> Bool? {
  switch text.trimmed.lowercased() {
  case "true", "on", "yes": true
  case "false", "off", "no": false
  default: nil
  }
}

extension String {
  /// Without blanks around it.
  package var trimmed: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }),
      let end = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[start ... end])
  }

  /// Itself; nil if it is empty.
  package var nonEmpty: String? {
    isEmpty ? nil : self
  }

  /// Whether C would take it for a name.
  package var isIdentifier: Bool {
    guard let first, first.isASCII, first.isLetter || first == "_" else { return false }
    return allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }
}
