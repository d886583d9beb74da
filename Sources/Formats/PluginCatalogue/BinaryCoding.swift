// BinaryCoding.swift: binary encoding for the plugin cache and for messages of helper processes. SPDX-License-Identifier: MIT

/// The bytes are not a valid record or are too short.
package struct BinaryDecodingError: Error {
  /// The only error.
  package init() {}
}

/// Appends values to a byte array: little-endian numbers, and texts as length and UTF-8.
package struct BinaryEncoder {
  /// The encoded bytes.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty writer. [any]
  package init() {}

  /// Appends a number. [any]
  package mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a number. [any]
  package mutating func write(_ number: Float) { write(number.bitPattern) }

  /// Appends a byte, 0 or 1. [any]
  package mutating func write(_ flag: Bool) { write(UInt8(flag ? 1 : 0)) }

  /// Appends a text. [any]
  package mutating func write(_ text: String) {
    write(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a count and bytes. [any]
  package mutating func write(bytes other: [UInt8]) {
    write(UInt32(other.count))
    bytes.append(contentsOf: other)
  }

  /// Appends a count, then every element by `one`. [any]
  package mutating func write<Element>(
    _ list: [Element], _ one: (inout BinaryEncoder, Element) -> Void
  ) {
    write(UInt32(list.count))
    for element in list { one(&self, element) }
  }
}

/// Reads values from bytes, in the order in which they were written.
///
/// Every length is checked against the remaining bytes, so a damaged cache causes an error and not a crash.
@safe package struct BinaryDecoder {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  /// Reads from bytes that must outlive the reader. [any]
  package init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  /// The number of unread bytes.
  var remainingCount: Int { unsafe bytes.count - offset }

  /// Reads a number. [any]
  package mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(BinaryDecodingError) -> Number {
    let size = MemoryLayout<Number>.size
    guard remainingCount >= size else { throw BinaryDecodingError() }
    defer { offset += size }
    return unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Reads a number. [any]
  package mutating func float() throws(BinaryDecodingError) -> Float {
    Float(bitPattern: try number())
  }

  /// Reads a byte as a Boolean: 0 is false. [any]
  package mutating func flag() throws(BinaryDecodingError) -> Bool { try number(UInt8.self) != 0 }

  /// Reads a text. [any]
  package mutating func text() throws(BinaryDecodingError) -> String {
    unsafe String(decoding: try counted(), as: UTF8.self)
  }

  /// Reads a count and bytes. [any]
  package mutating func byteList() throws(BinaryDecodingError) -> [UInt8] {
    unsafe Array(try counted())
  }

  private mutating func counted() throws(BinaryDecodingError) -> UnsafeRawBufferPointer {
    let count = Int(try number(UInt32.self))
    guard count <= remainingCount else { throw BinaryDecodingError() }
    defer { offset += count }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset ..< offset + count])
  }

  /// Reads a count, then every element with `one`. [any]
  package mutating func list<Element>(
    _ one: (inout BinaryDecoder) throws(BinaryDecodingError) -> Element
  ) throws(BinaryDecodingError) -> [Element] {
    let count = Int(try number(UInt32.self))
    // Every element has at least one byte. A larger count is damage; do not reserve memory for it.
    guard count <= remainingCount else { throw BinaryDecodingError() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0 ..< count { elements.append(try one(&self)) }
    return elements
  }
}

/// A 64-bit checksum that detects changes and damage, but not tampering.
struct Checksum {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ word: UInt64) {
    // A multiply and a rotation for each word, after MurmurHash3's mixing step.
    value = (value ^ word) &* 0x9e37_79b9_7f4a_7c15
    value ^= value >> 29
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      unsafe add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = unsafe rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
    add(UInt64(bytes.count))
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the checksum of some bytes.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var digest = Checksum()
    unsafe digest.add(bytes)
    return digest.value
  }
}
