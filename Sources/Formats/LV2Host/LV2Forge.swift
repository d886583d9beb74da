// LV2Forge.swift: writes and reads atoms outside the audio thread. SPDX-License-Identifier: MIT
//
// An atom is its size and type (4 bytes each) and its body. Inside other atoms it is padded to 8 bytes. The body of
// an object is an id and a type, then properties: key, context and atom.

internal import PluginModel

/// The URIDs of atom types, mapped once.
struct LV2AtomTypes {
  let bool = URIDMap.shared.number(LV2.atom + "Bool")
  let int = URIDMap.shared.number(LV2.atom + "Int")
  let long = URIDMap.shared.number(LV2.atom + "Long")
  let float = URIDMap.shared.number(LV2.atom + "Float")
  let double = URIDMap.shared.number(LV2.atom + "Double")
  let string = URIDMap.shared.number(LV2.atom + "String")
  let literal = URIDMap.shared.number(LV2.atom + "Literal")
  let path = URIDMap.shared.number(LV2.atom + "Path")
  let uri = URIDMap.shared.number(LV2.atom + "URI")
  let urid = URIDMap.shared.number(LV2.atom + "URID")
  let vector = URIDMap.shared.number(LV2.atom + "Vector")
  let object = URIDMap.shared.number(LV2.atom + "Object")
  /// The two deprecated kinds of objects, with the same layout as the current one.
  let blank = URIDMap.shared.number(LV2.atom + "Blank")
  let resource = URIDMap.shared.number(LV2.atom + "Resource")

  /// Returns the type of a single value or of a vector's elements. [main]
  func number(of type: PropertyType) -> UInt32 {
    switch type {
    case .bool: bool
    case .int: int
    case .long: long
    case .float: float
    case .double: double
    case .string: string
    case .path: path
    case .uri: uri
    case .vector: vector
    case .undeclared: 0
    }
  }
}

/// Writes atoms in sequence.
struct LV2Forge {
  private(set) var bytes: [UInt8] = []
  private let types: LV2AtomTypes

  /// Creates an empty forge. [main]
  init(_ types: LV2AtomTypes) { self.types = types }

  /// Writes an object of a type with the properties that `keys` adds. [main]
  mutating func object(_ type: String, _ keys: (inout LV2Forge) -> Void) {
    atom(types.object) { forge in
      forge.add(UInt32(0))
      forge.add(URIDMap.shared.number(type))
      keys(&forge)
    }
  }

  /// Writes the key of a property; its value must follow. [main]
  mutating func key(_ uri: String) {
    add(URIDMap.shared.number(uri))
    add(UInt32(0))
  }

  /// Writes the URID of a URI. [main]
  mutating func urid(_ uri: String) {
    atom(types.urid) { $0.add(URIDMap.shared.number(uri)) }
  }

  /// Writes the value of a property; elements of an empty vector have type `elementType`. [main]
  mutating func value(_ value: PropertyValue, elementType: PropertyType = .float) {
    switch value {
    case .string(let text): self.text(types.string, text)
    case .path(let path): self.text(types.path, path)
    case .uri(let uri): self.text(types.uri, uri)
    case .vector(let elements):
      let type = elements.first?.type ?? elementType
      let number = types.number(of: type)
      atom(types.vector) { forge in
        forge.add(UInt32(type == .long || type == .double ? 8 : 4))
        forge.add(number)
        for element in elements { forge.body(element) }
      }
    default: atom(types.number(of: value.type)) { $0.body(value) }
    }
  }

  private mutating func text(_ type: UInt32, _ text: String) {
    atom(type) { forge in
      forge.bytes += Array(text.utf8)
      forge.bytes.append(0)
    }
  }

  private mutating func body(_ value: PropertyValue) {
    switch value {
    case .bool(let value): add(Int32(value ? 1 : 0))
    case .int(let value): add(value)
    case .long(let value): add(value)
    case .float(let value): add(value.bitPattern)
    case .double(let value): add(value.bitPattern)
    case .string, .path, .uri, .vector: break
    }
  }

  private mutating func atom(_ type: UInt32, _ body: (inout LV2Forge) -> Void) {
    let start = bytes.count
    add(UInt32(0))
    add(type)
    body(&self)
    let size = UInt32(bytes.count - start - 8)
    withUnsafeBytes(of: size) { bytes.replaceSubrange(start ..< start + 4, with: $0) }
    while bytes.count % 8 != 0 { bytes.append(0) }
  }

  private mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }
}

/// An atom in a byte buffer, with bounds checks.
struct LV2AtomReader {
  let type: UInt32
  private let body: ArraySlice<UInt8>
  private let types: LV2AtomTypes

  /// The atom at the start of a buffer; nil if it exceeds the buffer. [main]
  init?(_ bytes: ArraySlice<UInt8>, _ types: LV2AtomTypes) {
    guard let size = Self.word(bytes, 0), let type = Self.word(bytes, 4),
      Int(size) <= bytes.count - 8
    else { return nil }
    self.type = type
    self.types = types
    body = bytes.dropFirst(8).prefix(Int(size))
  }

  /// The type of an object; nil if it is not an object. [main]
  var objectType: UInt32? {
    guard [types.object, types.blank, types.resource].contains(type) else { return nil }
    return Self.word(body, 4)
  }

  /// The complete properties of an object. [main]
  var keys: [(key: UInt32, value: LV2AtomReader)] {
    guard objectType != nil else { return [] }
    var keys: [(key: UInt32, value: LV2AtomReader)] = []
    var rest = body.dropFirst(8)
    while let key = Self.word(rest, 0), let value = LV2AtomReader(rest.dropFirst(8), types) {
      keys.append((key, value))
      rest = rest.dropFirst(16 + (value.body.count + 7) / 8 * 8)
    }
    return keys
  }

  /// The URID that it contains; 0 if it is not a URID. [main]
  var number: UInt32 { type == types.urid ? Self.word(body, 0) ?? 0 : 0 }

  /// Returns its content as a property value; nil for unsupported types. [main]
  var value: PropertyValue? {
    switch type {
    case types.string, types.path, types.uri: return text(body)
    case types.literal: return text(body.dropFirst(8))
    case types.urid:
      return URIDMap.shared.text(number).map { .uri(String(cString: $0)) }
    case types.vector: return vector
    default: return Self.scalar(type, body, types)
    }
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> PropertyValue {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return type == types.path ? .path(text) : type == types.uri ? .uri(text) : .string(text)
  }

  private var vector: PropertyValue? {
    guard let size = Self.word(body, 0).map(Int.init), let type = Self.word(body, 4), size > 0,
      (body.count - 8) % size == 0
    else { return nil }
    let elements = stride(from: 8, to: body.count, by: size).map { offset in
      Self.scalar(type, body.dropFirst(offset).prefix(size), types)
    }
    return elements.contains(nil) ? nil : .vector(elements.compactMap(\.self))
  }

  private static func scalar(
    _ type: UInt32, _ body: ArraySlice<UInt8>, _ types: LV2AtomTypes
  ) -> PropertyValue? {
    switch type {
    case types.bool: word(body, 0).map { .bool($0 != 0) }
    case types.int: word(body, 0).map { .int(Int32(bitPattern: $0)) }
    case types.float: word(body, 0).map { .float(Float(bitPattern: $0)) }
    case types.long: longWord(body).map { .long(Int64(bitPattern: $0)) }
    case types.double: longWord(body).map { .double(Double(bitPattern: $0)) }
    default: nil
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32? {
    guard bytes.count >= offset + 4 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
  }

  private static func longWord(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }
}
