// ControlDecoderTests.swift: messages of controls, one rule each. SPDX-License-Identifier: MIT

import RigSchema
import Testing

@testable import HostCore

@Suite struct `A MIDI control` {
  private var decoder = ControlDecoder()

  private mutating func events(
    _ bytes: [UInt8], at milliseconds: UInt64 = 0
  ) -> [ControlEvent] {
    decoder.decode(
      ControllerMessage(time: milliseconds * 1_000_000, device: "desk", bytes: bytes))
  }

  /// The last position of a kind of control after a message.
  private mutating func position(
    _ kind: ControlSource.Kind, _ bytes: [UInt8], at milliseconds: UInt64 = 0
  ) -> Double? {
    let event = events(bytes, at: milliseconds).last { $0.control.kind == kind }
    guard case .position(let position, _)? = event?.value else { return nil }
    return position
  }

  @Test mutating func `of 7 bits reaches both ends`() {
    #expect(position(.controller(21), [0xb0, 21, 0]) == 0)
    #expect(position(.controller(21), [0xb0, 21, 127]) == 1)
    #expect(events([0xb3, 21, 5])[0].control.channel == 4)
  }

  @Test mutating func `of 14 bits counts its high bits at once and is refined`() {
    // Without low bits it has 7 bits, and still reaches its end.
    #expect(position(.fineController(1), [0xb0, 1, 127], at: 0) == 1)
    #expect(position(.fineController(1), [0xb0, 33, 127], at: 1) == 1)
    #expect(position(.fineController(1), [0xb0, 1, 64], at: 100) == Double(64 << 7 | 127) / 16_383)
    #expect(position(.fineController(1), [0xb0, 33, 5], at: 101) == Double(64 << 7 | 5) / 16_383)
    // Upwards, the low bits begin at 0 until they arrive.
    #expect(position(.fineController(1), [0xb0, 1, 65], at: 200) == Double(65 << 7) / 16_383)
  }

  @Test mutating func `of 14 bits may send its low bits first`() {
    _ = events([0xb0, 1, 64], at: 0)
    _ = events([0xb0, 33, 127], at: 100)
    #expect(position(.fineController(1), [0xb0, 1, 64], at: 101) == Double(64 << 7 | 127) / 16_383)
    _ = events([0xb0, 33, 3], at: 200)
    #expect(position(.fineController(1), [0xb0, 1, 70], at: 203) == Double(70 << 7 | 3) / 16_383)
  }

  @Test mutating func `of 14 bits moves only in its direction`() {
    _ = events([0xb0, 1, 0], at: 0)
    var last = -1.0
    for value in stride(from: 0, to: 16_384, by: 37) {
      let time = UInt64(value)
      for bytes in [[0xb0, 1, UInt8(value >> 7)], [0xb0, 33, UInt8(value & 127)]] {
        guard let next = position(.fineController(1), bytes, at: time) else { continue }
        if value > 0 { #expect(next >= last || abs(next - last) < 1e-3) }
        last = next
      }
    }
  }

  @Test mutating func `with a parameter number has 14 bits`() {
    for bytes: [UInt8] in [[0xb0, 99, 2], [0xb0, 98, 10]] { #expect(events(bytes).isEmpty) }
    #expect(position(.nrpn(266), [0xb0, 6, 127]) == 1)
    #expect(position(.nrpn(266), [0xb0, 38, 0], at: 1) == Double(127 << 7) / 16_383)
    // Data entry is not the controller 6 meanwhile.
    #expect(events([0xb0, 6, 1]).map(\.control.kind) == [.nrpn(266)])
  }

  @Test mutating func `with a parameter number takes increments`() {
    _ = events([0xb0, 99, 0]) + events([0xb0, 98, 5])
    #expect(events([0xb0, 96, 3]).map(\.value) == [.step(3)])
    #expect(events([0xb0, 97, 1]).map(\.value) == [.step(-1)])
    #expect(events([0xb0, 96, 0]).map(\.value) == [.step(1)])
    #expect(events([0xb0, 96, 3])[0].control.kind == .nrpn(5))
  }

  @Test mutating func `is deselected by 127 and 127, and by a registered parameter`() {
    _ = events([0xb0, 99, 0]) + events([0xb0, 98, 5])
    _ = events([0xb0, 99, 127]) + events([0xb0, 98, 127])
    #expect(events([0xb0, 6, 9]).isEmpty)
    _ = events([0xb0, 99, 0]) + events([0xb0, 98, 5])
    _ = events([0xb0, 101, 0]) + events([0xb0, 100, 0])
    #expect(events([0xb0, 6, 9]).isEmpty)
    // The selection of another channel is separate.
    #expect(events([0xb1, 6, 9]).map(\.control.kind) == [.controller(6), .fineController(6)])
  }

  @Test mutating func `bends with an exact centre`() {
    #expect(position(.pitchBend, [0xe0, 0, 0]) == 0)
    #expect(position(.pitchBend, [0xe0, 0, 64]) == 0.5)
    #expect(position(.pitchBend, [0xe0, 127, 127]) == 1)
  }

  @Test mutating func `is a key, and a note-on of velocity 0 releases it`() {
    #expect(events([0x90, 60, 1]).map(\.value) == [.key(isPressed: true)])
    #expect(events([0x90, 60, 0]).map(\.value) == [.key(isPressed: false)])
    #expect(events([0x80, 60, 64]).map(\.value) == [.key(isPressed: false)])
  }

  @Test mutating func `selects a program in its bank`() throws {
    _ = events([0xb0, 0, 1]) + events([0xb0, 32, 2])
    let event = events([0xc0, 4])[0]
    #expect(event.control.kind == .program(5, bank: 130))
    #expect(ControlSource(.program(5, bank: nil)).matches(event))
    #expect(ControlSource(.program(5, bank: 130)).matches(event))
    #expect(!ControlSource(.program(5, bank: 0)).matches(event))
    #expect(!ControlSource(.program(6, bank: nil)).matches(event))
  }

  @Test mutating func `is neither clock nor sensing nor aftertouch`() {
    let others: [[UInt8]] = [
      [0xf8], [0xfa], [0xfe], [0xd0, 5], [0xa0, 5, 5], [0xf0, 1, 2, 0xf7], [0xf2, 1, 1], [],
    ]
    for bytes in others { #expect(events(bytes).isEmpty) }
  }

  @Test mutating func `belongs to a channel and a device`() {
    let event = events([0xb2, 21, 5])[0]
    #expect(ControlSource(.controller(21)).matches(event))
    #expect(ControlSource(.controller(21), channel: 3, device: "DESK").matches(event))
    #expect(!ControlSource(.controller(21), channel: 2).matches(event))
    #expect(!ControlSource(.controller(21), device: "keys").matches(event))
    #expect(!ControlSource(.controller(22)).matches(event))
  }
}
