// StraightThroughTests.swift: bit-exact transfer on every kind of card. SPDX-License-Identifier: MIT

import Testing

@Suite struct StraightThroughTests {
  static let formats = [
    "S16_LE", "S24_3LE", "S24_LE", "S32_LE", "FLOAT_LE", "FLOAT64_LE", "S16_BE", "S24_3BE",
    "S24_BE", "S32_BE", "FLOAT_BE", "FLOAT64_BE",
  ]
  static let accesses = ["mmap", "mmap-rows", "copy", "copy-rows"]

  @Test(arguments: formats, accesses)
  func `every bit reaches the output`(format: String, access: String) throws {
    // Two seconds: a 16-bit source plays every code.
    let machine = ScriptedMachine(card: "formats=\(format) access=\(access)", seconds: 2)
    try expect(format, machine, DriverGuarantees(isAudible: false))
  }

  @Test(arguments: [
    "channels=1", "channels=2", "channels=10", "ins=1 outs=6", "whole=no buffer=1000",
    "whole=no buffer=900", "granularity=64", "granularity=192", "link=no",
    "dirty=yes formats=S24_LE",
    "chmap=40", "ppm=300", "ppm=-300", "rates=44100", "rates=96000 period=512",
  ])
  func `cards of every kind work`(card: String) throws {
    try expect(card, ScriptedMachine(card: card), DriverGuarantees(isAudible: false))
  }

  @Test(arguments: [(1, 800_000.0), (16, 60_000), (64, 20_000), (333, 20_000), (4_096, 20_000)])
  func `periods of every length work`(frames: Int, callsPerSecond: Double) throws {
    var machine = ScriptedMachine(card: "", seconds: 2)
    machine.options = ["--period", "\(frames)"]
    try expect(
      "a period of \(frames)", machine,
      DriverGuarantees(callsPerSecond: callsPerSecond, isAudible: false))
  }

  @Test func `a period of a million frames works`() throws {
    var machine = ScriptedMachine(card: "", seconds: 130)
    machine.options = ["--period", "1000000"]
    try expect("a period of a million", machine, DriverGuarantees(isAudible: false))
  }

  @Test(arguments: ["hw:Desk", "plughw:Desk", "plug:hw:Desk", "hw:0,0", "hw:CARD=Desk,DEV=0"])
  func `a card is opened by any of its names`(name: String) throws {
    var machine = ScriptedMachine(card: "")
    machine.input = name
    machine.output = name
    try expect(name, machine, DriverGuarantees(isAudible: false))
  }

  @Test func `the round trip equals the value that the settings imply`() throws {
    for (period, count) in [(256, 3), (64, 2), (128, 4)] {
      var machine = ScriptedMachine(card: "", seconds: 1)
      machine.options = ["--period", "\(period)", "--periods", "\(count)"]
      let outcome = try machine.run()
      let sound = try #require(outcome.stretches().first { $0.kind == .exact })
      #expect(sound.at - sound.source == period * count)
    }
  }

  @Test(arguments: [-300, -20, 0, 20, 300])
  func `drift correction applies to a card with its own clock`(ppm: Int) throws {
    let machine = ScriptedMachine(
      script: [
        "card 0 id=Mic source=silence directions=capture ppm=\(ppm)",
        "card 1 id=Desk directions=playback",
      ], input: "hw:Mic", output: "hw:Desk", seconds: 60)
    let outcome = try machine.run()
    #expect(outcome.status == 0)
    let last = try #require(outcome.last)
    #expect(last.xruns == 0)
    #expect(last.resynchronised == [0, 0])
    let drift = try #require(last.drift?.first ?? nil)
    #expect(abs(drift - Double(ppm)) < 1)
  }

  @Test func `a second run gives the same result`() throws {
    let machine = ScriptedMachine("at 1 xrun Desk", "at 1.5 stall 0.2")
    let first = try machine.run()
    let second = try machine.run()
    #expect(first.text == second.text)
    #expect(first.stretches() == second.stretches())
    #expect(first.captured?.calls == second.captured?.calls)
  }
}
