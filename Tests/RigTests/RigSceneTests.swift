// RigSceneTests.swift: the scenes of a rig, and their errors. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct `A rig's scenes` {
  private let rig = EchoRig(key: "scenes")

  private let two = """
      verse: {over: 500 ms, program: 3, e.1.mix: 10 %, e.1.mute: off}
      Big chorus: {e.1.Mix: 60, e.1.bypass: on, e.1.wet: 40 %}
    """

  @Test func `are read with times, values and bypassed nodes`() throws {
    #expect(
      try rig.plan(two).scenes == [
        ScenePlan(
          name: "verse", overSeconds: 0.5, program: 3,
          settings: [
            .init(node: 0, what: .parameter(0, 10)), .init(node: 0, what: .parameter(2, 0)),
          ]),
        ScenePlan(
          name: "Big chorus", overSeconds: nil,
          settings: [
            .init(node: 0, what: .parameter(0, 60)), .init(node: 0, what: .bypass(true)),
            .init(node: 0, what: .wet(0.4)),
          ]),
      ])
  }

  @Test func `set gains of connections by their ends`() throws {
    let scene = try #require(
      try rig.plan("  verse: {\"e.1 -> out.gain\": -6, \"in->e.1.gain\": off}").scenes.first)
    #expect(scene.settings.isEmpty)
    #expect(
      scene.gains == [
        .init(connection: 1, decibels: -6), .init(connection: 0, decibels: -.infinity),
      ])
  }

  @Test func `survive writing and reading`() throws {
    func bare(_ scenes: [RigScene]) -> [RigScene] {
      scenes.map { scene in
        var scene = scene
        scene.position = .unknown
        for index in scene.values.indices { scene.values[index].position = .unknown }
        return scene
      }
    }
    let read = try rig.read(two + "\n  empty: {}")
    let again = try RigReader.read(text: RigWriter.text(of: read), file: "rig.yaml")
    #expect(bare(again.scenes) == bare(read.scenes))
    #expect(again.scenes.count == 3)
  }

  @Test(
    arguments: [
      ("  [verse]", "scenes: expected a mapping of names to scenes, found a list"),
      (
        "  verse: loud",
        "scenes.verse: expected a mapping of nodes' parameters to values, found \"loud\""
      ),
      (
        "  verse: {mix: 3}",
        "scenes.verse.mix: \"mix\" is not a parameter. Write NODE.PARAMETER, as in reverb.mix"
      ),
      (
        "  verse: {over: soon}",
        "\"soon\" is not a morph time. Allowed: 0 to 1 hour"
      ),
      (
        "  verse: {\"e.1 -> uot.gain\": 3}",
        "no connection leads from e.1 to uot. From e.1 there is e.1 -> out."
      ),
      ("  verse: {\"e.1 -> out.gain\": loud}", "gain = loud is not a gain. Allowed: -200 dB"),
      ("  verse: {\"e.1 -> out.mix\": 3}", "is not a gain of a connection. Write it as"),
      ("  verse: {over: -1 s}", "\"-1 s\" is not a morph time"),
      ("  verse: {e.1.mix: [1]}", "scenes.verse.e.1.mix: expected a value, found a list"),
      ("  verse: {e1.mix: 3}", "no such node: \"e1\". Did you mean \"e.1\"?"),
      ("  verse: {e.1.mx: 3}", "e.1 has no parameter mx. Did you mean mix?"),
      ("  verse: {e.1.mix: 300}", "mix = 300 is not an allowed value. Allowed: 0 to 100 %."),
      ("  verse: {e.1.wet: much}", "wet = much is out of range (0 % to 100 %)."),
      ("  verse: {e.1.bypass: maybe}", "invalid value for bypass: maybe. Use on or off."),
      ("  verse: {program: 0}", "program: 0 is out of range (1 to 128)."),
      ("  a: {program: 3}\n  b: {program: 3}", "scenes.b: program 3 is already assigned to a"),
      ("  verse: {e.1.mix: 3}\n  verse: {e.1.mix: 4}", "scenes.verse: duplicate key"),
    ])
  func `with an error are reported with its location and the accepted form`(
    scenes: String, message: String
  ) throws {
    let complaint = try rig.complaint(scenes)
    #expect(complaint.contains(message), "\(complaint)")
    #expect(complaint.hasPrefix("rig.yaml:"))
  }

  @Test(arguments: [("2", 2), ("2s", 2), ("500 ms", 0.5), ("1 min", 60), ("1:30", 90), ("0", 0)])
  func `a time is written with a unit or without`(text: String, seconds: Double) {
    #expect(MorphTime(text)?.seconds == seconds)
  }

  @Test(arguments: ["", "s", "-1", "2 dB", "3601", "2h"])
  func `with an invalid time are refused`(text: String) { #expect(MorphTime(text) == nil) }
}
