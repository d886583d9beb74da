// JSONValue.swift: a JSON value whose objects keep their order. SPDX-License-Identifier: MIT

/// A JSON value.
///
/// Foundation's decoder loses the order of an object's keys and reads past unknown ones. A command needs
/// both: its values are applied in the order in which they were sent, and a misspelt key is an error.
package enum JSONValue: Sendable, Equatable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without a fraction that an `Int` can hold.
  case integer(Int)
  /// Any other number; always finite.
  case number(Double)
  /// A string.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Keys and values in their order.
  case object([Member])

  /// A key of an object with its value.
  package struct Member: Sendable, Equatable {
    /// The key.
    package var key: String
    /// The value.
    package var value: JSONValue

    /// A key with its value.
    package init(_ key: String, _ value: JSONValue) { (self.key, self.value) = (key, value) }
  }

  /// The type's name with its article, for messages.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The first value of a key; nil if this is not an object or has no such key.
  package subscript(_ key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// An object of these members without those that have no value.
  package static func object(of members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { Member(key, $0) } })
  }

  /// Whether a string or a key in it contains a NUL character, which would end a path early.
  package var containsNUL: Bool {
    switch self {
    case .null, .bool, .integer, .number: false
    case .string(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: \.containsNUL)
    case .object(let members):
      members.contains { $0.key.utf8.contains(0) || $0.value.containsNUL }
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  /// A string.
  package init(stringLiteral text: String) { self = .string(text) }
}

extension JSONValue {
  /// The value on one line, without a line break at its end.
  package var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .number(let value): text += "\(value)"
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // Control characters; and DEL and C1, which terminals obey.
      case _ where scalar.value < 0x20 || 0x7f ... 0x9f ~= scalar.value:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
