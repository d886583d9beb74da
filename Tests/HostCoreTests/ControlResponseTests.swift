// ControlResponseTests.swift: take-over, encoders and buttons, one rule each. SPDX-License-Identifier: MIT

import RigSchema
import TestRandom
import Testing

@testable import HostCore

/// A target that a control moves.
private struct Bench {
  var response: ControlResponse
  /// The present position.
  var value: Double
  private var written: Double?

  init(_ mode: RigMap.Mode, from value: Double = 0.5, step: Double = 0.01) {
    (response, self.value) = (ControlResponse(mode, stepSize: step), value)
  }

  mutating func receive(_ event: ControlEvent.Value) {
    guard
      let next = response.respond(to: event, present: value, isOwn: value == written)
    else { return }
    (value, written) = (next, next)
  }

  mutating func move(_ positions: Double...) {
    for position in positions { receive(.position(position, raw: nil)) }
  }

  mutating func send(_ raw: Int...) {
    for raw in raw { receive(.position(Double(raw) / 127, raw: raw)) }
  }
}

@Suite struct `Take-over` {
  @Test func `by jump follows at once`() {
    var bench = Bench(.jump)
    bench.move(0.1)
    #expect(bench.value == 0.1)
  }

  @Test func `by pickup waits until the control crosses the value`() {
    var bench = Bench(.pickup)
    bench.move(0.1, 0.3, 0.49)
    #expect(bench.value == 0.5)
    // A fast movement that skips the value counts.
    bench.move(0.9)
    #expect(bench.value == 0.9)
    bench.move(0.2)
    #expect(bench.value == 0.2)
  }

  @Test func `by pickup does not begin near the value`() {
    var bench = Bench(.pickup)
    bench.move(0.499, 0.498, 0.4999)
    #expect(bench.value == 0.5)
    var exact = Bench(.pickup)
    exact.move(0.5, 0.6)
    #expect(exact.value == 0.6)
  }

  @Test func `is armed again after somebody else moved the value`() {
    var bench = Bench(.pickup)
    bench.move(0.4, 0.6)
    bench.value = 0.2
    bench.move(0.61, 0.7, 0.3)
    #expect(bench.value == 0.2)
    bench.move(0.1)
    #expect(bench.value == 0.1)
  }

  @Test func `by scale moves in proportion and reaches both ends`() {
    var bench = Bench(.scale, from: 0.8)
    bench.move(0.2)
    #expect(bench.value == 0.8)
    bench.move(0.6)
    #expect(abs(bench.value - 0.9) < 1e-12)
    bench.move(1)
    #expect(abs(bench.value - 1) < 1e-12)
    bench.move(0)
    #expect(bench.value == 0)
    bench.value = 0.5
    bench.move(0.5)
    #expect(abs(bench.value - 0.75) < 1e-12)
  }

  @Test func `by scale never leaves the range, and never moves against the control`() {
    var random = Random(seed: 23)
    for _ in 0 ..< 200 {
      var bench = Bench(.scale, from: Double.random(in: 0 ... 1, using: &random))
      var last: Double?
      for _ in 0 ..< 50 {
        let position = Double(Int.random(in: 0 ... 127, using: &random)) / 127
        let before = bench.value
        bench.move(position)
        #expect(0 ... 1 ~= bench.value)
        if let last { #expect((bench.value - before) * (position - last) >= 0) }
        last = position
      }
    }
  }
}

@Suite struct `An encoder` {
  @Test(arguments: [
    (RigMap.Encoding.twos, 1, 127), (.twos, 3, 125), (.offset, 65, 63), (.offset, 70, 58),
    (.sign, 1, 65), (.sign, 5, 69),
  ])
  func `moves by its steps in both directions`(
    _ encoding: RigMap.Encoding, _ up: Int, _ down: Int
  ) {
    var bench = Bench(.relative(encoding))
    let steps = Double(encoding.steps(up))
    bench.send(up)
    #expect(abs(bench.value - (0.5 + steps / 100)) < 1e-12)
    bench.send(down, down)
    #expect(abs(bench.value - (0.5 - steps / 100)) < 1e-12)
  }

  @Test func `stays in the range and continues from another value`() {
    var bench = Bench(.relative(.twos))
    bench.send(63, 63)
    #expect(bench.value == 1)
    bench.value = 0.25
    bench.send(1)
    #expect(abs(bench.value - 0.26) < 1e-12)
  }

  @Test func `does nothing for its zero`() {
    var bench = Bench(.relative(.offset))
    bench.send(64)
    #expect(bench.value == 0.5)
    bench.receive(.step(-2))
    #expect(abs(bench.value - 0.48) < 1e-12)
  }
}

@Suite struct `A button` {
  @Test func `toggles with each press`() {
    var bench = Bench(.toggle, from: 0)
    bench.receive(.key(isPressed: true))
    #expect(bench.value == 1)
    bench.receive(.key(isPressed: false))
    #expect(bench.value == 1)
    bench.receive(.key(isPressed: true))
    #expect(bench.value == 0)
  }

  @Test func `toggles with and without a message for its release`() {
    var bench = Bench(.toggle, from: 0)
    bench.send(127)
    #expect(bench.value == 1)
    bench.send(0)
    #expect(bench.value == 1)
    bench.send(127)
    #expect(bench.value == 0)
    bench.send(127)
    #expect(bench.value == 1)
  }

  @Test func `toggles from the value that somebody else has set`() {
    var bench = Bench(.toggle, from: 0)
    bench.send(127, 0)
    bench.value = 0
    bench.send(127)
    #expect(bench.value == 1)
  }

  @Test func `is on while it is pressed`() {
    var bench = Bench(.momentary, from: 0)
    bench.receive(.key(isPressed: true))
    #expect(bench.value == 1)
    bench.receive(.key(isPressed: false))
    #expect(bench.value == 0)
    bench.send(64)
    #expect(bench.value == 1)
    bench.send(63)
    #expect(bench.value == 0)
  }
}
