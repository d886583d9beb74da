// OSCDecoder.swift: reads packets. SPDX-License-Identifier: MIT

/// Reads a packet, whose sender is not trusted. [any]
///
/// Source of the format: Open Sound Control 1.0 Specification (M. Wright, 2002), and 1.1 for `T F N I t`.
package struct OSCDecoder {
  /// The longest packet in bytes, which is also the longest datagram.
  package static let longestPacketBytes = 65_536
  /// The messages in a packet.
  package static let maximumMessageCount = 2_048
  /// The arguments of a message, those in lists included.
  static let maximumArgumentCount = 256
  /// Bundles or lists inside each other.
  static let maximumDepth = 8
  /// The longest address in bytes.
  static let longestAddressBytes = 1_024

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var messageCount = 0

  /// Reads a packet.
  ///
  /// - Throws: `OSCFormatError`.
  package static func decode(_ bytes: [UInt8]) throws(OSCFormatError) -> OSCPacket {
    guard bytes.count <= longestPacketBytes else { throw .tooLong }
    guard !bytes.isEmpty else { throw .empty }
    var decoder = OSCDecoder(bytes[...])
    return try decoder.packet(depth: 0)
  }

  private init(_ bytes: ArraySlice<UInt8>) { (self.bytes, index) = (bytes, bytes.startIndex) }

  // MARK: - Packets

  private mutating func packet(depth: Int) throws(OSCFormatError) -> OSCPacket {
    guard bytes.count % 4 == 0 else { throw .unaligned }
    switch bytes.first {
    case UInt8(ascii: "/"): return .message(try message())
    case UInt8(ascii: "#"): return try bundle(depth: depth)
    default: throw .noAddress
    }
  }

  private mutating func bundle(depth: Int) throws(OSCFormatError) -> OSCPacket {
    guard depth < Self.maximumDepth else { throw .tooDeep }
    guard try string() == "#bundle" else { throw .noAddress }
    let tag = OSCTimeTag(rawValue: try integer(UInt64.self))
    var packets: [OSCPacket] = []
    while index < bytes.endIndex {
      let size = Int(try integer(Int32.self))
      guard size > 0, size <= bytes.endIndex - index else { throw .elementSize }
      var element = OSCDecoder(bytes[index ..< index + size])
      element.messageCount = messageCount
      packets.append(try element.packet(depth: depth + 1))
      messageCount = element.messageCount
      index += size
    }
    return .bundle(tag, packets)
  }

  private mutating func message() throws(OSCFormatError) -> OSCMessage {
    messageCount += 1
    guard messageCount <= Self.maximumMessageCount else { throw .tooManyMessages }
    let address = try string()
    guard address.utf8.count <= Self.longestAddressBytes else { throw .addressTooLong }
    // Old senders leave out the type tags of a message without arguments.
    guard index < bytes.endIndex else { return OSCMessage(address) }
    let tags = try string()
    guard tags.utf8.first == UInt8(ascii: ",") else { throw .noTypeTags }
    guard tags.utf8.count <= Self.maximumArgumentCount + 1 else { throw .tooManyArguments }
    var rest = tags.utf8.dropFirst()
    let arguments = try arguments(&rest, depth: 0)
    guard index == bytes.endIndex else { throw .trailingBytes }
    return OSCMessage(address, arguments)
  }

  // MARK: - Arguments

  /// Reads arguments until the end of the tags or of the list.
  private mutating func arguments(
    _ tags: inout Substring.UTF8View, depth: Int
  ) throws(OSCFormatError) -> [OSCArgument] {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    var list: [OSCArgument] = []
    while let tag = tags.popFirst() {
      switch tag {
      case UInt8(ascii: "["): list.append(.array(try arguments(&tags, depth: depth + 1)))
      case UInt8(ascii: "]"):
        guard depth > 0 else { throw .brackets }
        return list
      default: list.append(try argument(tag))
      }
    }
    guard depth == 0 else { throw .brackets }
    return list
  }

  private mutating func argument(_ tag: UInt8) throws(OSCFormatError) -> OSCArgument {
    switch tag {
    case UInt8(ascii: "i"): .int(try integer(Int32.self))
    case UInt8(ascii: "f"): .float(Float(bitPattern: try integer(UInt32.self)))
    case UInt8(ascii: "s"), UInt8(ascii: "S"): .string(try string())
    case UInt8(ascii: "b"): .blob(try blob())
    case UInt8(ascii: "T"): .bool(true)
    case UInt8(ascii: "F"): .bool(false)
    case UInt8(ascii: "N"): .null
    case UInt8(ascii: "I"): .impulse
    case UInt8(ascii: "h"): .long(try integer(Int64.self))
    case UInt8(ascii: "d"): .double(Double(bitPattern: try integer(UInt64.self)))
    case UInt8(ascii: "t"): .timeTag(OSCTimeTag(rawValue: try integer(UInt64.self)))
    case UInt8(ascii: "c"): .character(try integer(UInt32.self))
    default: throw .unknownType(tag)
    }
  }

  private mutating func integer<Value: FixedWidthInteger>(
    _: Value.Type
  ) throws(OSCFormatError) -> Value {
    let size = Value.bitWidth / 8
    guard bytes.endIndex - index >= size else { throw .truncated }
    defer { index += size }
    return bytes[index ..< index + size].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }

  /// Reads text up to a NUL, and the padding to a multiple of four bytes.
  private mutating func string() throws(OSCFormatError) -> String {
    guard let end = bytes[index...].firstIndex(of: 0) else { throw .truncated }
    guard let text = String(validating: bytes[index ..< end], as: UTF8.self) else { throw .notUTF8 }
    try skip(end + 1 - index)
    return text
  }

  private mutating func blob() throws(OSCFormatError) -> [UInt8] {
    let size = Int(try integer(Int32.self))
    guard size >= 0, size <= bytes.endIndex - index else { throw .truncated }
    defer { index = min(index + (size + 3) / 4 * 4, bytes.endIndex) }
    return Array(bytes[index ..< index + size])
  }

  private mutating func skip(_ count: Int) throws(OSCFormatError) {
    index += (count + 3) / 4 * 4
    guard index <= bytes.endIndex else { throw .truncated }
  }
}
