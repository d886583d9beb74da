// OSCEncoder.swift: writes packets. SPDX-License-Identifier: MIT

extension OSCPacket {
  /// The bytes of the packet. [any]
  package var bytes: [UInt8] {
    switch self {
    case .message(let message): return message.bytes
    case .bundle(let tag, let packets):
      return Self.bundle(tag, packets.map(\.bytes))
    }
  }

  /// The bytes of a bundle of encoded packets.
  static func bundle(_ tag: OSCTimeTag, _ elements: [[UInt8]]) -> [UInt8] {
    var bytes = OSCWriter()
    bytes.write("#bundle")
    bytes.write(tag.rawValue)
    for element in elements {
      bytes.write(UInt32(truncatingIfNeeded: element.count))
      bytes.bytes += element
    }
    return bytes.bytes
  }
}

extension OSCMessage {
  /// The bytes of the address with its padding. [any]
  var addressBytes: [UInt8] {
    var writer = OSCWriter()
    writer.write(address)
    return writer.bytes
  }

  /// The bytes of the message. [any]
  package var bytes: [UInt8] {
    var (writer, tags) = (OSCWriter(), ",")
    var data = OSCWriter()
    for argument in arguments { data.write(argument, &tags) }
    writer.write(address)
    writer.write(tags)
    return writer.bytes + data.bytes
  }
}

/// Collects the bytes of a packet.
private struct OSCWriter {
  var bytes: [UInt8] = []

  mutating func write<Value: FixedWidthInteger>(_ value: Value) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes += $0 }
  }

  /// A text without NULs, which would end it early.
  mutating func write(_ text: String) {
    let start = bytes.count
    bytes += text.utf8.prefix { $0 != 0 }
    bytes.append(0)
    pad(from: start)
  }

  private mutating func pad(from start: Int) {
    while (bytes.count - start) % 4 != 0 { bytes.append(0) }
  }

  mutating func write(_ argument: OSCArgument, _ tags: inout String) {
    switch argument {
    case .int(let value):
      tags += "i"
      write(value)
    case .float(let value):
      tags += "f"
      write(value.bitPattern)
    case .string(let text):
      tags += "s"
      write(text)
    case .blob(let blob):
      tags += "b"
      write(UInt32(truncatingIfNeeded: blob.count))
      let start = bytes.count
      bytes += blob
      pad(from: start)
    case .bool(let isOn): tags += isOn ? "T" : "F"
    case .null: tags += "N"
    case .impulse: tags += "I"
    case .long(let value):
      tags += "h"
      write(value)
    case .double(let value):
      tags += "d"
      write(value.bitPattern)
    case .timeTag(let tag):
      tags += "t"
      write(tag.rawValue)
    case .character(let code):
      tags += "c"
      write(code)
    case .array(let list):
      tags += "["
      for element in list { write(element, &tags) }
      tags += "]"
    }
  }
}
