// ControlLearnerTests.swift: which control is learned. SPDX-License-Identifier: MIT

import RigSchema
import Testing

@testable import HostCore

@Suite struct `Learning` {
  private func learn(
    button: Bool = false, device: String? = nil, _ messages: [(UInt64, [UInt8])]
  ) -> (control: ControlSource, encoding: RigMap.Encoding?)? {
    var decoder = ControlDecoder()
    var learner = ControlLearner(isForButton: button, device: device)
    for (milliseconds, bytes) in messages {
      let message = ControllerMessage(
        time: milliseconds * 1_000_000, device: "desk", bytes: bytes)
      for event in decoder.decode(message) { learner.observe(event) }
    }
    return learner.result(at: 60_000_000_000).map { ($0, learner.encoding) }
  }

  private func kind(_ messages: [(UInt64, [UInt8])], button: Bool = false) -> ControlSource.Kind? {
    learn(button: button, messages)?.control.kind
  }

  @Test func `takes the first control that moves, not the first message`() {
    #expect(
      kind([(0, [0xb0, 20, 64]), (1, [0xb0, 21, 10]), (2, [0xb0, 21, 12])]) == .controller(21))
    #expect(kind([(0, [0xb0, 20, 64])]) == nil)
    // A knob that trembles has not moved.
    #expect(kind([(0, [0xb0, 20, 64]), (1, [0xb0, 20, 65]), (2, [0xb0, 20, 64])]) == nil)
  }

  @Test func `ignores clock, sensing, aftertouch, bank select and channel modes`() {
    #expect(
      kind([
        (0, [0xf8]), (0, [0xfe]), (1, [0xd0, 1]), (2, [0xd0, 90]), (3, [0xa0, 1, 90]),
        (4, [0xb0, 0, 1]), (5, [0xb0, 0, 99]), (6, [0xb0, 32, 1]), (7, [0xb0, 32, 99]),
        (8, [0xb0, 123, 0]), (9, [0xb0, 123, 127]),
      ]) == nil)
  }

  @Test func `decides between 7 and 14 bits`() {
    #expect(kind([(0, [0xb0, 1, 10]), (5, [0xb0, 1, 20])]) == .controller(1))
    #expect(
      kind([(0, [0xb0, 1, 10]), (1, [0xb0, 33, 9]), (5, [0xb0, 1, 20]), (6, [0xb0, 33, 40])])
        == .fineController(1))
    #expect(
      kind([(0, [0xb0, 33, 10]), (1, [0xb0, 1, 9]), (5, [0xb0, 33, 90]), (6, [0xb0, 1, 9])])
        == .fineController(1))
    #expect(kind([(0, [0xb0, 40, 10]), (5, [0xb0, 40, 90])]) == .controller(40))
  }

  @Test func `waits for the low bits before it decides`() {
    var decoder = ControlDecoder()
    var learner = ControlLearner(isForButton: false, device: nil)
    for bytes: [UInt8] in [[0xb0, 1, 10], [0xb0, 1, 20]] {
      for event in decoder.decode(.init(time: 1_000, device: "desk", bytes: bytes)) {
        learner.observe(event)
      }
    }
    #expect(learner.result(at: 1_000) == nil)
    #expect(learner.result(at: 1_000 + ControlLearner.pairNanoseconds) != nil)
  }

  @Test func `finds parameter numbers, bend, keys and programs`() {
    #expect(
      kind([
        (0, [0xb0, 99, 1]), (0, [0xb0, 98, 2]), (0, [0xb0, 6, 3]), (5, [0xb0, 99, 1]),
        (5, [0xb0, 98, 2]), (5, [0xb0, 6, 30]),
      ]) == .nrpn(130))
    #expect(kind([(0, [0xe0, 0, 64]), (1, [0xe0, 0, 80])]) == .pitchBend)
    #expect(kind([(0, [0x90, 60, 100])]) == .note(60))
    #expect(kind([(0, [0xc0, 4])]) == .program(5, bank: nil))
    #expect(kind([(0, [0xb0, 32, 3]), (0, [0xc0, 4])]) == .program(5, bank: 3))
  }

  @Test func `recognises encoders`() {
    let twos = learn([
      (0, [0xb0, 9, 1]), (1, [0xb0, 9, 1]), (2, [0xb0, 9, 2]), (3, [0xb0, 9, 1]),
      (4, [0xb0, 9, 1]),
    ])
    #expect(twos?.encoding == .twos && twos?.control.kind == .controller(9))
    let offset = learn([(0, [0xb0, 9, 63]), (1, [0xb0, 9, 63]), (2, [0xb0, 9, 63])])
    #expect(offset?.encoding == .offset)
    let knob = learn([(0, [0xb0, 9, 1]), (1, [0xb0, 9, 2]), (2, [0xb0, 9, 3])])
    #expect(knob?.encoding == nil && knob?.control.kind == .controller(9))
  }

  @Test func `for a switch takes the first press`() {
    #expect(kind([(0, [0xb0, 64, 127])], button: true) == .controller(64))
    #expect(kind([(0, [0xb0, 64, 0])], button: true) == nil)
  }

  @Test func `ignores other devices`() {
    #expect(learn(device: "keys", [(0, [0x90, 60, 100])]) == nil)
    #expect(learn(device: "des", [(0, [0x90, 60, 100])]) != nil)
  }
}
