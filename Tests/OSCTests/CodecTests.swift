// CodecTests.swift: packets are written and read without loss, and malformed ones are refused. SPDX-License-Identifier: MIT

import TestRandom
import Testing

@testable import OSC

extension Random {
  fileprivate mutating func argument(depth: Int = 0) -> OSCArgument {
    switch Int.random(in: 0 ..< (depth < 3 ? 13 : 12), using: &self) {
    case 0: .int(Int32(truncatingIfNeeded: next()))
    case 1: .float(Float.random(in: -1e9 ... 1e9, using: &self))
    case 2: .string(["", "a", "abc", "abcd", "Größe", "x y"].randomElement(using: &self) ?? "")
    case 3: .blob((0 ..< Int.random(in: 0 ..< 9, using: &self)).map(UInt8.init))
    case 4: .bool(true)
    case 5: .bool(false)
    case 6: .null
    case 7: .impulse
    case 8: .long(Int64(truncatingIfNeeded: next()))
    case 9: .double(Double.random(in: -1e9 ... 1e9, using: &self))
    case 10: .timeTag(OSCTimeTag(rawValue: next()))
    case 11: .character(UInt32.random(in: 32 ..< 127, using: &self))
    default:
      .array(
        (0 ..< Int.random(in: 0 ..< 4, using: &self)).map { _ in argument(depth: depth + 1) })
    }
  }

  fileprivate mutating func packet(depth: Int = 0) -> OSCPacket {
    guard depth < 4, Int.random(in: 0 ..< 3, using: &self) == 0 else {
      let count = Int.random(in: 0 ..< 6, using: &self)
      return .message(
        OSCMessage("/node/a\(count)", (0 ..< count).map { _ in argument() }))
    }
    return .bundle(
      OSCTimeTag(rawValue: next()),
      (0 ..< Int.random(in: 0 ..< 4, using: &self)).map { _ in packet(depth: depth + 1) })
  }
}

@Suite struct `The codec of packets` {
  @Test func `reads what it has written`() throws {
    var random = Random(seed: 1)
    for _ in 0 ..< 2_000 {
      let packet = random.packet()
      #expect(packet.bytes.count % 4 == 0)
      #expect(try OSCDecoder.decode(packet.bytes) == packet)
    }
  }

  @Test func `reads the examples of the specification`() throws {
    let example: [UInt8] = [
      0x2f, 0x6f, 0x73, 0x63, 0x69, 0x6c, 0x6c, 0x61, 0x74, 0x6f, 0x72, 0x2f, 0x34, 0x2f, 0x66,
      0x72, 0x65, 0x71, 0x75, 0x65, 0x6e, 0x63, 0x79, 0, 0x2c, 0x66, 0, 0, 0x43, 0xdc, 0, 0,
    ]
    #expect(
      try OSCDecoder.decode(example) == .message(.init("/oscillator/4/frequency", [.float(440)])))
    #expect(OSCMessage("/oscillator/4/frequency", [.float(440)]).bytes == example)
    let foo = OSCMessage(
      "/foo", [.int(1_000), .int(-1), .string("hello"), .float(1.234), .float(5.678)])
    #expect(foo.bytes.count == 40)
    #expect(try OSCDecoder.decode(foo.bytes) == .message(foo))
  }

  @Test func `accepts messages of old senders without type tags`() throws {
    #expect(try OSCDecoder.decode(Array("/a\0\0".utf8)) == .message(.init("/a")))
  }

  @Test(arguments: [
    ("", OSCFormatError.empty), ("/a\0", .unaligned), ("abc\0", .noAddress),
    ("#bundel\0", .noAddress), ("#bundle\0\0\0\0\0", .truncated), ("/abc", .truncated),
    ("/abcd\0\0\0abc\0", .noTypeTags), ("/a\0\0,i\0\0", .truncated),
    ("/a\0\0,x\0\0", .unknownType(UInt8(ascii: "x"))), ("/a\0\0,[\0\0", .brackets),
    ("/a\0\0,]\0\0", .brackets), ("/a\0\0,T\0\0abcd", .trailingBytes),
    ("/a\0\0,s\0\0abcd", .truncated),
    ("/a\0\0,b\0\0\u{7f}abc", .truncated),
    ("#bundle\0\0\0\0\0\0\0\0\u{1}\0\0\0\u{40}/a\0\0", .elementSize),
    ("#bundle\0\0\0\0\0\0\0\0\u{1}\0\0\0\0", .elementSize),
    ("#bundle\0\0\0\0\0\0\0\0\u{1}\0\0\0\u{3}/a\0\0", .unaligned),
    ("#bundle\0\0\0\0\0\0\0\0\u{1}\0\0", .unaligned),
  ])
  func `refuses malformed packets with the reason`(text: String, error: OSCFormatError) {
    #expect(throws: error) { _ = try OSCDecoder.decode(Array(text.utf8)) }
    #expect(!"\(error)".isEmpty)
  }

  @Test func `refuses what is too long, too deep or too much`() {
    #expect(throws: OSCFormatError.tooLong) {
      _ = try OSCDecoder.decode([UInt8](repeating: 0, count: OSCDecoder.longestPacketBytes + 4))
    }
    #expect(throws: OSCFormatError.notUTF8) {
      _ = try OSCDecoder.decode([0x2f, 0xff, 0, 0])
    }
    var packet = OSCPacket.message(.init("/a"))
    for _ in 0 ..< OSCDecoder.maximumDepth { packet = .bundle(.immediate, [packet]) }
    #expect((try? OSCDecoder.decode(packet.bytes)) == packet)
    let deeper = OSCPacket.bundle(.immediate, [packet])
    #expect(throws: OSCFormatError.tooDeep) { _ = try OSCDecoder.decode(deeper.bytes) }
    let messages = [OSCPacket](
      repeating: .message(.init("/a")), count: OSCDecoder.maximumMessageCount)
    let full = OSCPacket.bundle(.immediate, messages)
    #expect((try? OSCDecoder.decode(full.bytes)) == full)
    // The limit holds for all messages of a packet, not for each bundle in it.
    let half = OSCPacket.bundle(.immediate, Array(messages.prefix(1_025)))
    #expect(throws: OSCFormatError.tooManyMessages) {
      _ = try OSCDecoder.decode(OSCPacket.bundle(.immediate, [half, half]).bytes)
    }
    let arguments = [OSCArgument](repeating: .bool(true), count: 257)
    #expect(throws: OSCFormatError.tooManyArguments) {
      _ = try OSCDecoder.decode(OSCMessage("/a", arguments).bytes)
    }
    let lists = "," + String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    let nested = Array("/a\0\0".utf8) + Array(lists.utf8) + [0, 0, 0]
    #expect(throws: OSCFormatError.tooDeep) { _ = try OSCDecoder.decode(nested) }
  }

  @Test func `survives random changes of valid packets`() {
    var random = Random(seed: 7)
    var (accepted, refused) = (0, 0)
    for _ in 0 ..< 20_000 {
      var bytes = random.packet().bytes
      for _ in 0 ..< Int.random(in: 1 ... 4, using: &random) {
        switch Int.random(in: 0 ..< 3, using: &random) {
        case 0:
          bytes[Int.random(in: 0 ..< bytes.count, using: &random)] = UInt8.random(
            in: 0 ... 255, using: &random)
        case 1: bytes.removeLast(min(bytes.count - 1, 4))
        default: bytes += [0, 0x2c, 0xff, 0x69]
        }
      }
      // Padding and numbers may differ, but a packet that was read can be written and read again.
      if let packet = try? OSCDecoder.decode(bytes) {
        accepted += 1
        #expect((try? OSCDecoder.decode(packet.bytes))?.bytes == packet.bytes)
      } else {
        refused += 1
      }
    }
    #expect(accepted > 100 && refused > 100)
  }
}
