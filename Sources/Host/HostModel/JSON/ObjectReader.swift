// ObjectReader.swift: the keys of a JSON object, each read once. SPDX-License-Identifier: MIT

/// Reads the keys of an object with their types, and reports unknown keys.
package struct ObjectReader {
  private var members: [JSONValue.Member]

  /// Reads from an object's members.
  package init(_ members: [JSONValue.Member]) { self.members = members }

  /// Removes a key and returns its value; nil if it is missing.
  package mutating func take(_ key: String) -> JSONValue? {
    guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
    return members.remove(at: index).value
  }

  /// Reads a string.
  package mutating func string(_ key: String) throws(ProtocolError) -> String? {
    guard let value = take(key) else { return nil }
    guard case .string(let text) = value else { throw .type(key: key, expected: "a string") }
    guard !value.containsNUL else { throw .nul(key: key) }
    return text
  }

  /// Reads a string that must be there and not be empty.
  package mutating func requiredString(
    _ key: String, of command: String
  ) throws(ProtocolError) -> String {
    guard let text = try string(key), !text.isEmpty else {
      throw .missing(key: key, command: command)
    }
    return text
  }

  /// Reads `true` or `false`; false if it is missing.
  mutating func flag(_ key: String) throws(ProtocolError) -> Bool {
    guard let value = take(key) else { return false }
    guard case .bool(let isOn) = value else { throw .type(key: key, expected: "true or false") }
    return isOn
  }

  /// Reads a number of seconds, 0 or more.
  mutating func seconds(_ key: String) throws(ProtocolError) -> Double? {
    try number(key, expected: "a number of seconds")
  }

  /// Reads a number.
  mutating func number(
    _ key: String, expected: String = "a number"
  ) throws(ProtocolError) -> Double? {
    switch take(key) {
    case nil: return nil
    case .integer(let value): return Double(value)
    case .number(let value): return value
    default: throw .type(key: key, expected: expected)
    }
  }

  /// Reads a count, 0 or more.
  mutating func count(_ key: String) throws(ProtocolError) -> UInt64? {
    guard let value = take(key) else { return nil }
    guard case .integer(let number) = value, let count = UInt64(exactly: number) else {
      throw .type(key: key, expected: "a whole number, 0 or more")
    }
    return count
  }

  /// Fails if there are keys that were not read.
  package func finish(_ command: String) throws(ProtocolError) {
    guard let member = members.first else { return }
    throw .unknownKey(key: member.key, command: command)
  }
}
