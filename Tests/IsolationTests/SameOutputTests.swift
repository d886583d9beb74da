// SameOutputTests.swift: isolated nodes output the same bits. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@testable import Isolation

/// Chords and controllers at odd frames.
private let song: [ScheduledEvent] = (0 ..< 40).flatMap { step -> [ScheduledEvent] in
  let frame = UInt64(step * 317)
  let key = UInt8(48 + step * 5 % 24)
  return [
    ScheduledEvent(frame: frame, bytes: [0x90, key, UInt8(60 + step)]),
    ScheduledEvent(frame: frame + 3, bytes: [0xb0, 1, UInt8(step * 3)]),
    ScheduledEvent(frame: frame + 250, bytes: [0x80, key, 0]),
  ]
}

@Suite struct `An isolated node` {
  /// Renders a rig in this process and isolated, and compares everything that comes of it.
  private func compare(
    _ rig: RigDescription, _ workshop: RigTestEnvironment, isolation: NodeIsolation = .own,
    isSandboxed: Bool = false, events: [ScheduledEvent] = [], blocks: [Int] = [256, 64, 1, 200],
    each: (IsolatedRig, Int) throws -> Void = { _, _ in },
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) throws -> RigOutput {
    let outputs = try [NodeIsolation.off, isolation].map { isolation in
      let player = try IsolatedRig(
        rig, workshop.library, isolation, events: events,
        isSandboxed: isSandboxed && isolation != .off)
      for turn in 0 ..< 80 {
        try each(player, turn)
        player.render(blocks[turn % blocks.count])
      }
      #expect(player.isolated.isEmpty == (isolation == .off), sourceLocation: sourceLocation)
      #expect(player.isolated.allSatisfy { $0.describeFault() == nil })
      #expect(player.isolated.flatMap(\.refusals) == [], sourceLocation: sourceLocation)
      return player.takeOutput()
    }
    #expect(outputs[0].audio == outputs[1].audio, sourceLocation: sourceLocation)
    #expect(outputs[0].midi == outputs[1].midi, sourceLocation: sourceLocation)
    #expect(outputs[0].parameters == outputs[1].parameters, sourceLocation: sourceLocation)
    #expect(outputs[0].readouts == outputs[1].readouts, sourceLocation: sourceLocation)
    #expect(outputs[0].properties == outputs[1].properties, sourceLocation: sourceLocation)
    #expect(outputs[0].latencies == outputs[1].latencies, sourceLocation: sourceLocation)
    return outputs[1]
  }

  private func isAudible(_ output: RigOutput) -> Bool {
    output.audio.contains { $0.contains { abs($0) > 0.001 } }
  }

  @Test(arguments: [
    "http://drobilla.net/plugins/mda/Ambience", "http://drobilla.net/plugins/mda/Delay",
    "http://drobilla.net/plugins/mda/Leslie", "http://drobilla.net/plugins/mda/Dynamics",
    "http://drobilla.net/plugins/mda/Vocoder",
  ])
  func `outputs the same as in process: effects of mda`(plugin: String) throws {
    let workshop = try RigTestEnvironment(bundles: ["mda.lv2"])
    #expect(isAudible(try compare(try workshop.chain(plugin), workshop)))
  }

  // Not EPiano: each new instance changes the sound table that all instances in a process share, so its output depends on
  // how many were created before it.
  @Test(arguments: [
    "http://drobilla.net/plugins/mda/Piano", "http://drobilla.net/plugins/mda/JX10",
    "http://drobilla.net/plugins/mda/DX10",
  ])
  func `outputs the same as in process: instruments`(plugin: String) throws {
    let workshop = try RigTestEnvironment(bundles: ["mda.lv2"])
    let output = try compare(try workshop.chain(plugin), workshop, events: song)
    #expect(isAudible(output))
  }

  @Test(arguments: [
    "outboard.gain", "outboard.reverb", "outboard.compressor", "outboard.pitch-shifter",
    "outboard.loudness-meter", "outboard.tuner",
  ])
  func `outputs the same as in process: modules`(plugin: String) throws {
    let workshop = try RigTestEnvironment(
      modules: ["gain", "reverb", "compressor", "pitch-shifter", "loudness-meter", "tuner"])
    _ = try compare(try workshop.chain(plugin), workshop)
  }

  @Test func `outputs the same as in process: an instrument that is a module`() throws {
    let workshop = try RigTestEnvironment(modules: ["synthesiser"])
    let output = try compare(
      try workshop.chain("outboard.synthesiser"), workshop, events: song)
    #expect(isAudible(output))
  }

  @Test func `sends the same MIDI at the same frames`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-fifths.lv2", "mda.lv2"])
    let rig = try workshop.rig(
      """
      nodes:
        fifths: {plugin: "http://lv2plug.in/plugins/eg-fifths"}
        piano: {plugin: "http://drobilla.net/plugins/mda/Piano"}
      connections:
        - "in:midi -> fifths:midi -> out:midi"
        - "fifths:midi -> piano"
        - piano -> out
      """)
    let output = try compare(rig, workshop, events: song)
    #expect(isAudible(output))
    #expect(output.midi.count > song.count)
  }

  @Test func `follows lanes, which split blocks, and the transport`() throws {
    let workshop = try RigTestEnvironment(
      modules: ["gain", "delay"], bundles: ["eg-metro.lv2", "mda.lv2"])
    let rig = try workshop.rig(
      """
      transport: {tempo: 173, time_signature: 3/4}
      nodes:
        metro: {plugin: "http://lv2plug.in/plugins/eg-metro"}
        gain: {plugin: outboard.gain}
        delay: {plugin: "http://drobilla.net/plugins/mda/Delay"}
      connections: [metro -> gain -> delay -> out]
      automation:
        - {parameter: gain.gain, points: [[0, -20], [0.1, 0]]}
        - {parameter: delay.fx_mix, points: [[0, 0], [0.07, 0.8]]}
      """)
    _ = try compare(rig, workshop)
  }

  @Test func `moves between the messages of a control, and takes values that others set`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"], bundles: ["mda.lv2"])
    let rig = try workshop.rig(
      """
      nodes:
        gain: {plugin: outboard.gain}
        delay: {plugin: "http://drobilla.net/plugins/mda/Delay"}
      connections: [in -> gain -> delay -> out]
      midi: {map: [cc 1 -> gain.gain, cc 2 -> delay.fx_mix]}
      """)
    let output = try compare(rig, workshop) { player, turn in
      let nodes = player.members.map { $0.nodes[0] }
      let place = { player.moves[$0].moved.parameter }
      if turn % 3 == 1 {
        for (index, value) in [Float(-turn % 20), Float(turn) / 80].enumerated() {
          player.moves[index].start(to: value, at: UInt64(turn + 1) * 2_000_000)
          nodes[index].setParameter(place(index), to: value)
        }
      } else if turn % 20 == 5 {
        nodes[1].setParameter(place(1), to: 0.9)
      }
    }
    #expect(isAudible(output))
  }

  @Test func `takes values that are set between blocks`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"], bundles: ["mda.lv2"])
    let rig = try workshop.chain("outboard.gain", "http://drobilla.net/plugins/mda/Leslie")
    let output = try compare(rig, workshop) { player, turn in
      guard turn % 7 == 3 else { return }
      player.members[0].nodes[0].setParameter(0, to: Float(-turn))
      player.members[1].nodes[0].setParameter(2, to: Float(turn) / 80)
      player.members[1].nodes[0].setParameter(1, to: 1e9)
    }
    #expect(isAudible(output))
  }

  @Test func `shares a process with its group`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"], bundles: ["mda.lv2"])
    let rig = try workshop.chain(
      "outboard.gain", "http://drobilla.net/plugins/mda/Ambience", "outboard.reverb")
    _ = try compare(rig, workshop, isolation: .group("band"))
    let player = try IsolatedRig(rig, workshop.library, .group("band"))
    #expect(Set(player.isolated.map(\.worker.process)).count == 1)
    let alone = try IsolatedRig(rig, workshop.library, .own)
    #expect(Set(alone.isolated.map(\.worker.process)).count == 3)
  }

  @Test(arguments: [
    "http://drobilla.net/plugins/mda/Ambience", "http://drobilla.net/plugins/mda/Piano",
    "outboard.reverb", "outboard.pitch-shifter", "outboard.synthesiser",
  ])
  func `outputs the same as in process: in a sandbox`(plugin: String) throws {
    let workshop = try RigTestEnvironment(
      modules: ["reverb", "pitch-shifter", "synthesiser"], bundles: ["mda.lv2"])
    let output = try compare(
      try workshop.chain(plugin), workshop, isSandboxed: true, events: song)
    #expect(isAudible(output))
  }

  @Test func `outputs the same as in process: files of properties in a sandbox`() throws {
    let workshop = try RigTestEnvironment(modules: ["sampler"], bundles: ["eg-sampler.lv2"])
    let sample = workshop.path + "/sample.wav"
    try FloatWave(
      channels: [(0 ..< 9_000).map { IsolatedRig.noise(0, $0) }], sampleRateHz: 48_000
    ).write(to: sample)
    let uri = "http://lv2plug.in/plugins/eg-sampler"
    let module = try #require(try workshop.library.find("outboard.sampler").properties.first)
    let rig = try workshop.rig(
      """
      nodes:
        lv2: {plugin: "\(uri)", properties: {"\(uri)#sample": "\(sample)"}}
        module: {plugin: outboard.sampler, properties: {"\(module.uri)": "\(sample)"}}
      connections: ["in:midi -> lv2", "in:midi -> module", lv2 -> out, module -> out]
      """)
    let output = try compare(rig, workshop, isSandboxed: true, events: song)
    #expect(isAudible(output))
    #expect(output.properties.contains(.path(sample)))
  }
}
