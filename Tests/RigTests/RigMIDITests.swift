// RigMIDITests.swift: MIDI connections of a rig. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct RigMIDITests {
  /// An instrument: MIDI in, audio out.
  private let synth = Self.player("synth", inputs: 0, outputs: 2, takes: true)
  /// MIDI in, MIDI out, no audio.
  private let arp = Self.player("arp", inputs: 0, outputs: 0, takes: true, sends: true)
  /// Audio in and out, and MIDI in both directions.
  private let tuner = Self.player("tuner", inputs: 2, outputs: 2, takes: true, sends: true)

  private static func player(
    _ name: String, inputs: Int, outputs: Int, takes: Bool = false, sends: Bool = false
  ) -> PluginDescription {
    var description = plugin(name, inputs, outputs)
    description.acceptsMIDI = takes
    description.producesMIDI = sends
    return description
  }

  private func events(_ plan: RigPlan) -> [String] {
    plan.eventLinks.map { link in
      let from = link.from.map { plan.nodes[$0].name } ?? "in"
      return "\(from)>\(link.to.map { plan.nodes[$0].name } ?? "out")"
    }
  }

  @Test func `a node with a MIDI input gets the rig's messages by default`() throws {
    let plan = try plan([synth, stereo("verb")], "synth -> verb -> out", inputs: 0, outputs: 2)
    #expect(events(plan) == ["in>synth"])
    #expect(plan.acceptsMIDI)
    #expect(!plan.sendsMIDI)
    #expect(plan.links.count == 4)
  }

  @Test func `a node with a MIDI connection gets no other messages`() throws {
    let plan = try plan(
      [tuner, synth], "in -> tuner -> out", "tuner:midi -> synth", "synth -> out", inputs: 2,
      outputs: 2)
    #expect(events(plan) == ["tuner>synth", "in>tuner"])
    #expect(links(plan).count == 6)
  }

  @Test func `nodes without audio between them are connected by MIDI`() throws {
    let plan = try plan([arp, synth], "arp -> synth -> out", inputs: 0, outputs: 2)
    #expect(events(plan) == ["arp>synth", "in>arp"])
  }

  @Test func `nodes with audio between them are connected by MIDI only if stated`() throws {
    let plan = try plan(
      [tuner, stereo("a")], "in -> tuner -> a -> out", inputs: 2, outputs: 2)
    #expect(events(plan) == ["in>tuner"])
  }

  @Test func `MIDI passes through and out if stated, and is not an audio connection`() throws {
    let rig = try rig(
      [arp, synth], "in:midi -> arp:midi -> out:midi", "in:MIDI -> synth", "synth -> out")
    let plan = try RigPlan(
      rig, plugins: [arp, synth], inputChannelCount: 0, outputChannelCount: nil)
    #expect(events(plan) == ["in>arp", "arp>out", "in>synth"])
    #expect(plan.sendsMIDI)
    #expect(plan.outputChannelCount == 2)
  }

  @Test(arguments: [
    ("synth:midi -> out:midi", "synth sends no MIDI, so it cannot feed out."),
    ("in:midi -> a", "a takes no MIDI, so in cannot feed it."),
    (
      "in:1 -> synth:midi",
      "MIDI and audio cannot be connected. For MIDI, write in:midi -> synth:midi."
    ),
  ])
  func `invalid connections are refused`(connection: String, message: String) throws {
    #expect(
      try mistakes([synth, stereo("a")], connection)
        == ["rig.yaml:5: connections[1]: \(message)"])
  }

  @Test func `a gain is refused`() throws {
    var rig = try rig([synth], "in:midi -> synth")
    rig.connections[0].gainDecibels = -3
    let error = #expect(throws: ManifestError.self) { try plan(rig, [synth], 0, 2) }
    #expect("\(try #require(error))".contains("MIDI from in to synth cannot be given a gain."))
  }

  @Test func `MIDI is drawn dashed`() throws {
    let plan = try plan([arp, synth], "arp -> synth -> out", inputs: 0, outputs: 2)
    let dot = DOTWriter.dot(plan, name: "keys")
    #expect(dot.contains("  midi_in [label=\"MIDI in\", shape=cds, style=dashed];\n"))
    #expect(dot.contains("  n0 -> n1 [label=\"MIDI\", style=dashed];\n"))
    #expect(dot.contains("  midi_in -> n0 [label=\"MIDI\", style=dashed];\n"))
    #expect(!dot.contains("midi_out"))
  }
}
