// FramingTests.swift: packets on connections. SPDX-License-Identifier: MIT

import Testing

@testable import OSC

@Suite struct `Packets on a connection` {
  private static let packets = [
    OSCMessage("/a", [.int(0x00C0_DBDC)]).bytes, OSCMessage("/undo").bytes,
    [0xC0, 0xDB, 0xDC, 0xDD], OSCMessage("/b", [.blob([0xC0, 0xC0, 0xDB])]).bytes,
  ]

  @Test(arguments: [OSCFraming.Kind.lengths, .slip])
  func `arrive whole, however their bytes are divided`(kind: OSCFraming.Kind) throws {
    let bytes = Self.packets.flatMap { OSCFraming(kind).frame($0) }
    for size in 1 ... bytes.count {
      var (framing, found): (OSCFraming, [[UInt8]]) = (OSCFraming(kind), [])
      for start in stride(from: 0, to: bytes.count, by: size) {
        for packet in try framing.append(bytes[start ..< min(start + size, bytes.count)]) {
          found.append(try packet.get())
        }
      }
      #expect(found == Self.packets)
    }
  }

  @Test func `choose the framing by the first byte`() {
    #expect(OSCFraming.Kind(firstByte: 0) == .lengths)
    #expect(OSCFraming.Kind(firstByte: 0xC0) == .slip)
    #expect(OSCFraming.Kind(firstByte: UInt8(ascii: "/")) == .slip)
    for other in [0x16, UInt8(ascii: "G"), UInt8(ascii: "\n"), 0xFF] {
      #expect(OSCFraming.Kind(firstByte: other) == nil)
    }
  }

  @Test func `with a length that is too large end the connection`() {
    var framing = OSCFraming(.lengths)
    #expect(throws: OSCFormatError.tooLong) { _ = try framing.append([0, 1, 0, 1]) }
  }

  @Test func `with a wrong escape or without an end cost only themselves`() throws {
    var framing = OSCFraming(.slip)
    let good = Self.packets[0]
    let bytes: [UInt8] =
      [0xC0, 0xDB, 0x41, 0x42, 0xC0] + framing.frame(good) + [0x2F, 0xDB, 0xC0]
      + [UInt8](repeating: 0x2F, count: OSCDecoder.longestPacketBytes + 1) + [0xC0]
      + framing.frame(good)
    let expected: [OSCFraming.Result] = [
      .failure(.framing), .success(good), .failure(.truncated), .failure(.framing), .success(good),
    ]
    #expect(try framing.append(bytes) == expected)
  }
}
