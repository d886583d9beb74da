// MappedRampTests.swift: what is audible of a mapped control. SPDX-License-Identifier: MIT

import Foundation
import HostModel
import Session
import Testing

@testable import HostCore

/// An amplifier that does not smooth its gain, and a mixer.
@Suite(.serialized) final class `A mapped parameter without smoothing` {
  private let controllers = TestControllers()

  private func host(_ lines: String...) throws -> TestHost {
    let map = lines.map { "\n    - \"\($0)\"" }.joined()
    let test = try TestHost(
      """
      outboard: 1
      input: {device: in, channels: 2}
      output: {device: out, channels: 2}
      period: 64
      nodes:
        amp: {plugin: "http://lv2plug.in/plugins/eg-amp"}
        desk: {builtin: mixer, channels: 2}
      connections: ["in:1 -> amp -> desk:1", "desk -> out"]
      """, midi: "\nmidi:\n  map:\(map)\n", bundles: ["eg-amp.lv2"], controllers: controllers)
    for _ in 0 ..< 20 { try test.turn() }
    return test
  }

  /// Returns the gain of each frame of some blocks, in dB, relative to the one of 0 dB.
  private func gains(_ test: TestHost, blocks: Int, unity: Float) -> [Double] {
    (0 ..< blocks).flatMap { _ in
      test.driver.render().map { 20 * log10(Double($0 / unity)) }
    }
  }

  private func value(_ test: TestHost, _ symbol: String = "gain", of node: String = "amp") -> Float?
  {
    test.host.snapshot.state.nodes.first { $0.name == node }?.parameters
      .first { $0.symbol == symbol }?.value
  }

  private func largestStep(_ gains: [Double]) -> Double {
    zip(gains, gains.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  /// Plays messages 4 ms from each other, each before three blocks of 64 frames, and checks the gain.
  private func sweep(
    _ test: TestHost, from start: Double, to end: Double,
    _ messages: [[[UInt8]]], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    _ = try test.reply(.set("amp", "gain", "\(start)"))
    for _ in 0 ..< 4 { try test.turn() }
    let unity = (test.driver.render().last ?? 0) / Float(pow(10, start / 20))
    var captured: [Double] = []
    for (step, group) in messages.enumerated() {
      for (place, bytes) in group.enumerated() {
        controllers.play(bytes, at: UInt64(1_000 + 4 * step + place))
      }
      captured += gains(test, blocks: 3, unity: unity)
    }
    captured += gains(test, blocks: 8, unity: unity)
    let slope = abs(end - start) / Double(messages.count) / 6
    #expect(largestStep(captured) < 1.1 * slope + 0.001, sourceLocation: sourceLocation)
    #expect(abs(captured[0] - start) < 0.01, sourceLocation: sourceLocation)
    #expect(abs((captured.last ?? 0) - end) < 0.01, sourceLocation: sourceLocation)
    for _ in 0 ..< 4 { try test.turn() }
    #expect(
      value(test).map { abs(Double($0) - end) < 0.01 } == true, sourceLocation: sourceLocation)
  }

  @Test func `moves steadily through a sweep of 7 bits`() throws {
    let test = try host("cc 21 -> amp.gain -40..0 dB")
    try sweep(test, from: -40, to: 0, (0 ... 127).map { [[0xb0, 21, UInt8($0)]] })
    try sweep(test, from: 0, to: -40, (0 ... 127).reversed().map { [[0xb0, 21, UInt8($0)]] })
  }

  @Test func `moves steadily through a sweep of 14 bits`() throws {
    let test = try host("cc14 1 -> amp.gain -40..0 dB")
    var messages: [[[UInt8]]] = []
    for step in 0 ... 255 {
      let position = step * 16_383 / 255
      messages.append([[0xb0, 1, UInt8(position >> 7)], [0xb0, 33, UInt8(position & 127)]])
    }
    try sweep(test, from: -40, to: 0, messages)
  }

  @Test(arguments: [("twos", UInt8(127)), ("offset", 63), ("sign", 65)])
  func `moves steadily with an encoder`(encoding: String, down: UInt8) throws {
    let test = try host("cc 22 -> amp.gain -40..0 dB relative \(encoding)")
    try sweep(test, from: 0, to: -40, (0 ..< 100).map { _ in [[0xb0, 22, down]] })
  }

  @Test func `jumps if the mapping has steps or is a button`() throws {
    let test = try host("cc 21 -> amp.gain -40..0 dB steps 2", "cc 22 -> amp.gain -40..0 dB toggle")
    _ = try test.reply(.set("amp", "gain", "-40"))
    for _ in 0 ..< 4 { try test.turn() }
    let unity = (test.driver.render().last ?? 0) * 100
    controllers.play([0xb0, 21, 127], at: 1)
    #expect(gains(test, blocks: 1, unity: unity).allSatisfy { abs($0) < 0.01 })
    controllers.play([0xb0, 22, 127], at: 2)
    #expect(gains(test, blocks: 1, unity: unity).allSatisfy { abs($0 + 40) < 0.01 })
  }

  @Test func `is published once with the last value, and undone at once`() throws {
    let test = try host("cc 21 -> amp.gain -40..0 dB")
    try test.turn()
    let revision = test.host.revision
    controllers.play([0xb0, 21, 0], at: 1)
    // The ramp has 7.5 blocks.
    try test.turn()
    while test.host.revision == revision {
      test.host.serve()
      sched_yield()
    }
    #expect(value(test) == -40)
    for _ in 0 ..< 20 { try test.turn() }
    #expect(test.host.revision == revision + 1 && value(test) == -40)
    _ = try test.reply(.undo)
    #expect(value(test) == 0)
    for _ in 0 ..< 4 { try test.turn() }
    let settled = test.driver.render()
    #expect(settled.allSatisfy { $0 == settled[0] } && settled[0] > 0.1)
  }

  @Test func `takes what another client sets during a movement`() throws {
    let test = try host("cc 21 -> amp.gain -40..0 dB")
    let unity = test.driver.render().last ?? 0
    controllers.play([0xb0, 21, 0], at: 1)
    let moving = gains(test, blocks: 2, unity: unity)
    #expect(moving.last.map { (-39 ..< -1).contains($0) } == true)
    _ = test.host.port.submit(
      .set("amp", "gain", "-6"), from: test.host.port.connect { _ in }, completion: { _ in })
    #expect(gains(test, blocks: 12, unity: unity).allSatisfy { abs($0 + 6) < 0.01 })
    for _ in 0 ..< 4 { try test.turn() }
    #expect(value(test) == -6)
    // The control continues from there.
    controllers.play([0xb0, 21, 127], at: 50)
    let rise = gains(test, blocks: 12, unity: unity)
    #expect(abs(rise[0] + 6) < 0.01 && abs(rise.last ?? 1) < 0.01 && largestStep(rise) < 1)
  }

  @Test func `moves in all instances while a mapping is added and removed`() throws {
    let test = try host("cc 21 -> amp.gain -40..0 dB")
    _ = try test.reply(.map(.add("cc 23 -> amp.gain -20..0 dB")))
    controllers.play([0xb0, 23, 0], at: 1)
    let unity = test.driver.render().last ?? 0
    _ = gains(test, blocks: 12, unity: unity)
    for _ in 0 ..< 4 { try test.turn() }
    #expect(value(test) == -20)
    controllers.play([0xb0, 21, 0], at: 100)
    _ = test.driver.render()
    _ = try test.reply(.map(.remove("amp.gain")))
    for _ in 0 ..< 100 { try test.turn() }
    #expect(value(test) == -40)
  }

  @Test func `moves a built-in node by commands`() throws {
    let test = try host("cc 21 -> desk.gain_1 -40..0 dB")
    controllers.play([0xb0, 21, 0], at: 1)
    while value(test, "gain_1", of: "desk") != -40 {
      try test.turn()
      sched_yield()
    }
    controllers.play([0xb0, 21, 127], at: 9)
    while value(test, "gain_1", of: "desk") != 0 {
      try test.turn()
      sched_yield()
    }
  }
}
