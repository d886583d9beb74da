// RigTransportTests.swift: tempo and time signature of a rig. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import RigSchema

@Suite struct RigTransportTests {
  private func read(_ line: String) throws -> TransportSettings {
    try RigReader.read(text: "outboard: 1\n\(line)\nconnections: [in -> out]\n", file: "rig.yaml")
      .transport
  }

  @Test func `a rig without transport settings has 120 beats a minute in 4/4`() throws {
    let settings = try read("")
    #expect(settings.beatsPerMinute == 120)
    #expect(settings.beatsPerBar == 4)
    #expect(settings.beatUnit == 4)
    #expect(settings.isRolling)
  }

  @Test func `tempo, time signature and stopped transport are read`() throws {
    let settings = try read("transport: {tempo: 92.5, time_signature: 6/8, rolling: off}")
    #expect(settings.beatsPerMinute == 92.5)
    #expect(settings.beatsPerBar == 6)
    #expect(settings.beatUnit == 8)
    #expect(!settings.isRolling)
  }

  @Test func `devices of clocks are read, and written again`() throws {
    let rig = try RigReader.read(
      text:
        "outboard: 1\ntransport: {clock: \"A: 1\", clock_output: [B, C]}\nconnections: [in -> out]\n",
      file: "rig.yaml")
    #expect(rig.clock.input == "A: 1")
    #expect(rig.clock.outputs == ["B", "C"])
    let again = try RigReader.read(text: RigWriter.text(of: rig), file: "rig.yaml")
    #expect(again.clock == rig.clock)
    #expect(again.transport == rig.transport)
  }

  @Test(arguments: ["link", "Link", "LINK"])
  func `the clock can be Ableton Link`(word: String) throws {
    let rig = try RigReader.read(
      text: "outboard: 1\ntransport: {clock: \(word)}\nconnections: [in -> out]\n", file: "rig.yaml"
    )
    #expect(rig.clock.followsLink)
    var other = RigClock()
    #expect(!other.followsLink)
    other.input = "link:in"
    #expect(!other.followsLink)
  }

  @Test(arguments: ["clock: [A]", "clock_output: {}", "clock_output: []", "clock: {device: A}"])
  func `wrong devices of clocks are refused`(text: String) {
    #expect(throws: (any Error).self) { try read("transport: {\(text)}") }
  }

  @Test(arguments: ["", "4", "4/", "/4", "0/4", "4/3", "65/4", "3/4/4", "three/four", "-3/4"])
  func `wrong time signatures are refused`(text: String) { #expect(Meter(text) == nil) }
}
