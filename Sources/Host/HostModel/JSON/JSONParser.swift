// JSONParser.swift: from bytes to a JSON value. SPDX-License-Identifier: MIT

/// Parses one JSON value (RFC 8259) from UTF-8.
///
/// Rejects what the standard leaves undefined: invalid UTF-8, lone surrogates, duplicate keys, numbers that
/// exceed `Double`, and nesting deeper than `deepest`.
package struct JSONParser {
  /// Why bytes are not a JSON value.
  package enum Failure: Error, Equatable {
    /// The byte at this offset is not valid JSON.
    case syntax(offset: Int)
    /// More than `deepest` lists and objects are inside each other.
    case tooDeep
    /// An object has a key twice.
    case duplicateKey(String)
  }

  /// The limit for lists and objects inside each other.
  package static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the only value in the bytes.
  package static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw parser.failure }
    return value
  }

  private var failure: Failure { .syntax(offset: position) }
  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
      position += 1
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
    guard take(character) else { throw failure }
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONValue {
    guard depth < Self.deepest else { throw .tooDeep }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  private mutating func literal(
    _ word: String, _ value: JSONValue
  ) throws(Failure) -> JSONValue {
    guard bytes[position...].starts(with: word.utf8) else { throw failure }
    position += word.utf8.count
    return value
  }

  private mutating func array(_ depth: Int) throws(Failure) -> JSONValue {
    try expect("[")
    skipSpace()
    if take("]") { return .array([]) }
    var values: [JSONValue] = []
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(values) }
      try expect(",")
    }
  }

  private mutating func object(_ depth: Int) throws(Failure) -> JSONValue {
    try expect("{")
    skipSpace()
    if take("}") { return .object([]) }
    var members: [JSONValue.Member] = []
    var keys: Set<String> = []
    while true {
      skipSpace()
      let key = try string()
      guard keys.insert(key).inserted else { throw .duplicateKey(key) }
      skipSpace()
      try expect(":")
      members.append(.init(key, try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(members) }
      try expect(",")
    }
  }

  // MARK: - Numbers

  private mutating func number() throws(Failure) -> JSONValue {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start ..< position], as: UTF8.self)
    if let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else {
      position = start
      throw failure
    }
    // 40.0 and 4e1 are whole numbers like 40, within the exact range of a Double.
    if value == value.rounded(.towardZero), abs(value) < 9_007_199_254_740_992 {
      return .integer(Int(value))
    }
    return .number(value)
  }

  private mutating func digits() throws(Failure) {
    guard let first = next, 0x30 ... 0x39 ~= first else { throw failure }
    while let byte = next, 0x30 ... 0x39 ~= byte { position += 1 }
  }

  // MARK: - Strings

  private mutating func string() throws(Failure) -> String {
    try expect("\"")
    let start = position
    // The bytes before the last escape, and where those after it begin. Most strings have no escapes.
    var text: [UInt8] = []
    var rest = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let last = bytes[rest ..< position]
        let string =
          text.isEmpty
          ? String(validating: last, as: UTF8.self)
          : String(validating: text + last, as: UTF8.self)
        guard let string else {
          position = start
          throw failure
        }
        position += 1
        return string
      case UInt8(ascii: "\\"):
        text += bytes[rest ..< position]
        position += 1
        text += String(try escape()).utf8
        rest = position
      case ..<0x20: throw failure
      default: position += 1
      }
    }
    throw failure
  }

  private mutating func escape() throws(Failure) -> Character {
    guard let byte = next else { throw failure }
    let simple: [UInt8: Character] = [
      UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/",
      UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{c}", UInt8(ascii: "n"): "\n",
      UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
    if let character = simple[byte] {
      position += 1
      return character
    }
    try expect("u")
    var code = try fourHexDigits()
    if 0xd800 ... 0xdbff ~= code {
      try expect("\\")
      try expect("u")
      let low = try fourHexDigits()
      guard 0xdc00 ... 0xdfff ~= low else { throw failure }
      code = 0x1_0000 + (code - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(code) else { throw failure }
    return Character(scalar)
  }

  private mutating func fourHexDigits() throws(Failure) -> UInt32 {
    guard position + 4 <= bytes.count,
      bytes[position ..< position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let code = UInt32(
        String(decoding: bytes[position ..< position + 4], as: UTF8.self), radix: 16)
    else { throw failure }
    position += 4
    return code
  }
}
