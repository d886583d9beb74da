// RelaxedJSON.swift: JSON as PipeWire writes it. SPDX-License-Identifier: MIT

import Manifests

/// A value of a JSON text.
///
/// PipeWire's dialect (spa/utils/json.h) is a superset of JSON: quotes, commas and colons are optional, `=` is
/// a colon, `#` begins a comment, and the braces of the whole text may be left out.
struct RelaxedJSON: Equatable {
  /// A value of any type.
  enum Content: Equatable {
    /// Keys in the order of the text.
    case object([Member])
    case array([RelaxedJSON])
    /// A text, a number, a boolean or null, as written.
    case scalar(String, isQuoted: Bool)
  }

  /// A key with its value.
  struct Member: Equatable {
    let key: String
    let value: RelaxedJSON
  }

  let content: Content
  /// The line, from 1.
  let line: Int

  /// The value of a key; the last one if it occurs several times.
  subscript(_ key: String) -> RelaxedJSON? { members.last { $0.key == key }?.value }

  /// The members of an object, otherwise none.
  var members: [Member] {
    if case .object(let members) = content { members } else { [] }
  }

  /// The items of an array, otherwise none.
  var items: [RelaxedJSON] {
    if case .array(let items) = content { items } else { [] }
  }

  /// The text of a scalar; nil for others.
  var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// The number of a scalar, or 1 and 0 for a boolean; nil for others.
  var number: Double? {
    guard case .scalar(let text, isQuoted: false) = content else { return nil }
    return switch text {
    case "true": 1
    case "false": 0
    default: Double(text)
    }
  }

  /// The boolean of a scalar; nil for others.
  var boolean: Bool? {
    switch text {
    case "true": true
    case "false": false
    default: nil
    }
  }

  /// Whether the value is an object.
  var isObject: Bool {
    if case .object = content { true } else { false }
  }

  /// Parses a text, which must begin with a brace or a bracket if `isStrict` is true.
  ///
  /// - Throws: `ImportError.syntax`.
  static func parse(_ source: ProjectSource, isStrict: Bool) throws(ImportError) -> RelaxedJSON {
    var parser = RelaxedJSONParser(source, syntax: isStrict ? "JSON" : "SPA-JSON")
    return try parser.document(isStrict: isStrict)
  }
}

/// Parses the bytes of a text.
private struct RelaxedJSONParser {
  /// Deeper than any project; it bounds the stack.
  private static let depthLimit = 64

  private let bytes: [UInt8]
  private let path: String
  private let syntax: String
  private var position = 0
  private var line = 1

  init(_ source: ProjectSource, syntax: String) {
    bytes = Array(source.text.utf8)
    path = source.path
    self.syntax = syntax
  }

  mutating func document(isStrict: Bool) throws(ImportError) -> RelaxedJSON {
    skipBlanks()
    let start = line
    guard let first = next else { throw error("it is empty") }
    if !isStrict, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
      return RelaxedJSON(content: .object(try members(until: nil, depth: 0)), line: start)
    }
    let value = try value(depth: 0)
    skipBlanks()
    guard position == bytes.count else { throw error("text follows the last bracket") }
    return value
  }

  // MARK: - Values

  private mutating func value(depth: Int) throws(ImportError) -> RelaxedJSON {
    guard depth < Self.depthLimit else {
      throw error("it is nested more than \(Self.depthLimit) levels deep")
    }
    let start = line
    switch next {
    case UInt8(ascii: "{"):
      position += 1
      let members = try members(until: UInt8(ascii: "}"), depth: depth)
      return RelaxedJSON(content: .object(members), line: start)
    case UInt8(ascii: "["):
      position += 1
      return RelaxedJSON(content: .array(try items(depth: depth)), line: start)
    default:
      let (text, isQuoted) = try scalar()
      return RelaxedJSON(content: .scalar(text, isQuoted: isQuoted), line: start)
    }
  }

  private mutating func members(
    until end: UInt8?, depth: Int
  ) throws(ImportError) -> [RelaxedJSON.Member] {
    var members: [RelaxedJSON.Member] = []
    while true {
      skipBlanks()
      guard let byte = next else {
        guard end == nil else { throw error("it ends inside of braces") }
        return members
      }
      if byte == end {
        position += 1
        return members
      }
      let key = try scalar().text
      skipBlanks()
      guard next != nil, next != end else { throw error("the key \(key.shortened) has no value") }
      members.append(.init(key: key, value: try value(depth: depth + 1)))
    }
  }

  private mutating func items(depth: Int) throws(ImportError) -> [RelaxedJSON] {
    var items: [RelaxedJSON] = []
    while true {
      skipBlanks()
      guard let byte = next else { throw error("it ends inside of brackets") }
      if byte == UInt8(ascii: "]") {
        position += 1
        return items
      }
      items.append(try value(depth: depth + 1))
    }
  }

  private mutating func scalar() throws(ImportError) -> (text: String, isQuoted: Bool) {
    guard let first = next else { throw error("it ends in the middle") }
    if first == UInt8(ascii: "\"") { return (try quoted(), true) }
    guard !Self.isDelimiter(first) else {
      throw error("\"\(Character(Unicode.Scalar(first)))\" has no opening bracket")
    }
    let start = position
    while let byte = next, !Self.isBlank(byte), !Self.isDelimiter(byte) { position += 1 }
    return (String(decoding: bytes[start ..< position], as: UTF8.self), false)
  }

  private mutating func quoted() throws(ImportError) -> String {
    let start = line
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += escaped()
      default:
        if byte == UInt8(ascii: "\n") { line += 1 }
        text.append(byte)
      }
    }
    throw error("the quoted text of line \(start) has no end")
  }

  /// Reads what follows a backslash.
  private mutating func escaped() -> [UInt8] {
    guard let byte = next else { return [] }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
    case UInt8(ascii: "t"): return [UInt8(ascii: "\t")]
    case UInt8(ascii: "r"): return [UInt8(ascii: "\r")]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "u"): return unicode()
    default: return [byte]
    }
  }

  /// Reads four hexadecimal digits, or two groups of them for a character beyond the first 65536.
  private mutating func unicode() -> [UInt8] {
    guard let first = digits() else { return [] }
    var scalar = first
    if 0xD800 ..< 0xDC00 ~= first, bytes[position...].starts(with: Array("\\u".utf8)) {
      position += 2
      guard let second = digits(), 0xDC00 ..< 0xE000 ~= second else { return [] }
      scalar = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }
    return Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? []
  }

  private mutating func digits() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    defer { position += 4 }
    return UInt32(String(decoding: bytes[position ..< position + 4], as: UTF8.self), radix: 16)
  }

  // MARK: - Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips blanks, separators and comments.
  private mutating func skipBlanks() {
    while let byte = next {
      if byte == UInt8(ascii: "#") {
        while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
      } else if Self.isBlank(byte) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        position += 1
      } else {
        return
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    [32, 9, 10, 13, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "=")].contains(byte)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    "{}[]\"".utf8.contains(byte)
  }

  private func error(_ problem: String) -> ImportError {
    .syntax(path: path, line: line, syntax: syntax, problem: problem)
  }
}
