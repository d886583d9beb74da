// BinaryCoding.swift: values as bytes, for the cache and for what a child process tells. SPDX-License-Identifier: MIT

/// The bytes are not a record, or end too early.
package struct BinaryDecodingError: Error {
  /// There is no more to say.
  package init() {}
}

/// Appends values to bytes: numbers little-endian, text as its length and its UTF-8.
package struct BinaryEncoder {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []

  /// A record without anything in it. [any]
  package init() {}

  /// Appends a number. [any]
  package mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
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

  /// Appends a count, then every element by `one`. [any]
  package mutating func write<Element>(
    _ list: [Element], _ one: (inout BinaryEncoder, Element) -> Void
  ) {
    write(UInt32(list.count))
    for element in list { one(&self, element) }
  }
}

/// Takes values from bytes, in the order in which they were written.
///
/// Every length is checked against what is left, so that a damaged cache is a fault and not a crash.
package struct BinaryDecoder {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  /// Reads from bytes that must outlive the reader. [any]
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// How many bytes have not been read.
  var remainingCount: Int { bytes.count - offset }

  /// Takes a number. [any]
  package mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(BinaryDecodingError) -> Number {
    let size = MemoryLayout<Number>.size
    guard remainingCount >= size else { throw BinaryDecodingError() }
    defer { offset += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Takes a number. [any]
  package mutating func float() throws(BinaryDecodingError) -> Float {
    Float(bitPattern: try number())
  }

  /// Takes a byte, 0 or not. [any]
  package mutating func flag() throws(BinaryDecodingError) -> Bool { try number(UInt8.self) != 0 }

  /// Takes a text. [any]
  package mutating func text() throws(BinaryDecodingError) -> String {
    let count = Int(try number(UInt32.self))
    guard count <= remainingCount else { throw BinaryDecodingError() }
    defer { offset += count }
    return String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[offset ..< offset + count]), as: UTF8.self)
  }

  /// Takes a count, then every element by `one`. [any]
  package mutating func list<Element>(
    _ one: (inout BinaryDecoder) throws(BinaryDecodingError) -> Element
  ) throws(BinaryDecodingError) -> [Element] {
    let count = Int(try number(UInt32.self))
    // Every element takes at least a byte, so a larger count is damage and must not be reserved.
    guard count <= remainingCount else { throw BinaryDecodingError() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0 ..< count { elements.append(try one(&self)) }
    return elements
  }
}

/// A 64-bit digest to notice change and damage by; not a defence against malice.
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
      add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
    add(UInt64(bytes.count))
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// The digest of some bytes alone.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var digest = Checksum()
    digest.add(bytes)
    return digest.value
  }
}
