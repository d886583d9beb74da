// ModHostMapTests.swift: MIDI mappings to and from mod-host. SPDX-License-Identifier: MIT

import PluginLoading
import RigExport
import RigImport
import RigSchema
import RigTestSupport
import Session
import Testing

private let bundles = ["eg-amp.lv2", "mda.lv2"]

@Suite(.enabled(if: bundles.allSatisfy(RigTestEnvironment.hasBundle)))
struct `MIDI mappings of mod-host` {
  private let environment: RigTestEnvironment

  init() throws { environment = try RigTestEnvironment(modules: [], bundles: bundles) }

  private func exported(_ maps: String, _ connections: String) throws -> String {
    let rig = """
      midi: {map: [\(maps)]}
      input: {device: default, channels: 2}
      output: {device: default, channels: 2}
      nodes:
        amp: {plugin: "http://lv2plug.in/plugins/eg-amp"}
        echo: {plugin: "http://drobilla.net/plugins/mda/Delay"}
      connections: [\(connections)]
      """
    let prepared = try PreparedRig(environment.rig(rig), environment.library)
    return try ModHostExporter.text(of: prepared.rig, try prepared.plan())
  }

  private func imported(_ commands: String) throws -> (maps: [String], notes: [String]) {
    let rig = try ProjectResolver.rig(
      of: ProjectFormats.read(ProjectSource(path: "a", text: commands)), path: "a", output: nil,
      environment.library)
    return (rig.rig.maps.map(\.description), rig.notes.map(\.description))
  }

  @Test(
    arguments: [
      ("cc 7 -> amp.gain", nil),
      ("cc 7 channel 1 from Knobs -> amp.gain", "a device"),
      ("cc 7 channel 1 -> amp.gain pickup", "pickup"),
      ("cc 7 channel 1 -> amp.gain steps 5", "steps"),
      ("cc 7 channel 1 -> amp.gain feedback", "feedback"),
      ("cc 7 channel 1 -> amp.gain 1..4 log", "another curve than its parameter"),
      ("cc14 7 channel 1 -> amp.gain", "another control than cc or bend"),
      ("note 60 channel 1 -> amp.gain", "another control than cc or bend"),
      ("cc 7 channel 1 -> amp.wet", "a target that is not a parameter"),
      ("cc 7 channel 1 -> undo", "a target that is not a parameter"),
      ("cc 7 channel 1 -> amp.bypass", "a range other than on..off"),
      (
        "cc 7 channel 1 -> amp.gain, cc 8 channel 1 -> amp.gain", "the parameter of another mapping"
      ),
      (
        "cc 7 channel 1 -> amp.gain, cc 7 channel 1 -> echo.feedback",
        "the control of another mapping"
      ),
    ] as [(String, String?)])
  func `mappings that mod-host lacks are refused`(maps: String, key: String?) throws {
    let error = #expect(throws: RigExportError.self) {
      try exported(maps, "\"in:1 -> amp\", amp -> echo -> out")
    }
    let map = String(maps.split(separator: ", ").last ?? "")
    #expect(
      error
        == key.map { .unsupportedMap(map: map, key: $0, host: "mod-host") }
        ?? .mapWithoutChannel(map: map, host: "mod-host"))
  }

  @Test func `a mapping of several instances is refused`() throws {
    let map = "cc 7 channel 1 -> amp.gain"
    let error = #expect(throws: RigExportError.self) { try exported(map, "in -> amp -> out") }
    let key = "a plugin with several instances"
    #expect(error == .unsupportedMap(map: map, key: key, host: "mod-host"))
  }

  @Test func `a control moves only the first parameter that it is mapped to`() throws {
    let commands = """
      add http://lv2plug.in/plugins/eg-amp 0
      add http://drobilla.net/plugins/mda/Delay 1
      midi_map 0 gain 0 7 -20 6
      midi_map 1 feedback 0 7 0 1
      midi_map 0 gain 0 7 -10 6

      """
    // A parameter keeps its slot, and a later one has an effect when the first is free.
    #expect(
      try imported(
        commands + "midi_map 1 feedback 0 9 0 1\nmidi_map 1 feedback 0 7 0 1\nmidi_unmap 0 gain\n"
      ).maps == ["cc 7 channel 1 -> effect-1.feedback 0..1"])
    let (maps, notes) = try imported(commands)
    #expect(maps == ["cc 7 channel 1 -> effect-0.gain -10..6 dB"])
    #expect(
      notes == [
        "line 4: effect_1: The control cc 7 channel 1 of feedback was not carried over. In mod-host, the"
          + " control moves only the first parameter that it is mapped to."
      ])
  }

  @Test func `a switch ignores the range of its mapping`() throws {
    let commands = """
      add http://drobilla.net/plugins/mda/Combo 0
      midi_map 0 stereo 0 7 1 0
      midi_map 0 drive 0 8 0.75 0.25

      """
    #expect(
      try imported(commands).maps == [
        "cc 7 channel 1 -> effect-0.stereo", "cc 8 channel 1 -> effect-0.drive 0.75..0.25",
      ])
  }
}
