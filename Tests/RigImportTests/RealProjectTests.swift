// RealProjectTests.swift: files that other hosts wrote. SPDX-License-Identifier: MIT

import Foundation
import RigImport
import RigTestSupport
import Testing

/// The files below `Fixtures/imports` were saved by Carla 2.6, jalv 1.6, mod-host, the MOD interface, EasyEffects 7 and
/// ecasound 2.9; see also `SavedProjectTests`.
@Suite struct `Files of the real programs are read whole` {
  private func project(_ name: String) throws -> ForeignProject {
    try ProjectFormats.read(path: Projects.path(name))
  }

  @Test(arguments: [
    ("carla-rack.carxp", 3, "Carla project"), ("carla-patchbay.carxp", 5, "Carla project"),
    ("carla-drive.carxp", 3, "Carla project"), ("carla-compressor.carxs", 1, "Carla preset"),
    ("carla-overdrive.carxs", 1, "Carla preset"), ("carla-echo.carxs", 1, "Carla preset"),
    ("chain.modhost", 2, "mod-host command file"), ("drive.modhost", 2, "mod-host command file"),
    ("active.modhost", 3, "mod-host command file"),
    ("presets.modhost", 1, "mod-host command file"),
    ("eg-amp-quiet.lv2", 1, "LV2 preset"), ("mda-delay-long.lv2", 1, "LV2 preset"),
    ("mda-delay-slap.lv2", 1, "LV2 preset"), ("mda-overdrive-warm.lv2", 1, "LV2 preset"),
    ("jalv-amp", 1, "LV2 preset"), ("jalv-sampler", 1, "LV2 preset"),
    ("Clean_Echo.pedalboard", 2, "MOD pedalboard"),
    ("Parallel_Drive.pedalboard", 4, "MOD pedalboard"),
    ("Midi_Fifths.pedalboard", 2, "MOD pedalboard"),
    ("easyeffects-bass.json", 3, "EasyEffects preset"),
    ("easyeffects-voice.json", 4, "EasyEffects preset"),
    ("easyeffects-room.json", 4, "EasyEffects preset"),
    ("easyeffects-bands.json", 3, "EasyEffects preset"),
    ("voice.ecs", 3, "ecasound chain setup"), ("parallel.ecs", 2, "ecasound chain setup"),
    ("master.ecs", 3, "ecasound chain setup"),
  ])
  func `all plugins of a file are found`(name: String, nodeCount: Int, format: String) throws {
    let project = try project(name)
    #expect(project.format == format)
    #expect(project.nodes.count == nodeCount)
  }

  @Test(arguments: [
    ("Float", "AAAAvg==", "-0.125"), ("Double", "AAAAAAAA4D8=", "0.5"), ("Int", "+f///w==", "-7"),
    ("Long", "AAAAAAEAAAA=", "4294967296"), ("Bool", "AQAAAA==", "1"),
    ("String", "AAAAvg==", "AAAAvg=="),
  ])
  func `numbers that Carla keeps as bytes are read`(type: String, value: String, text: String)
    throws
  {
    func properties(_ value: String) throws -> [ForeignProject.Property] {
      let text = try Projects.text("carla-sampler.carxs")
        .replacing("atom#Float", with: "atom#\(type)").replacing("AAAAAA==", with: value)
      let source = ProjectSource(path: "sampler.carxs", text: text)
      return try ProjectFormats.read(source).nodes[0].properties.filter { !$0.isFile }
    }
    #expect(try properties(value).map(\.text) == [text])
    guard type != "String" else { return }
    // A part of the number, and no Base64.
    for broken in ["AAAA", "?"] { #expect(try properties(broken).isEmpty) }
  }

  @Test func `values before a preset of mod-host are marked`() throws {
    let node = try project("presets.modhost").nodes[0]
    #expect(node.values.map { "\($0.key)" } == ["vcf_freq", "vcf_reso"])
    #expect(node.earlierValueCount == 1)
  }

  @Test func `states that mod-host saved are those of the plugins`() throws {
    let environment = try RigTestEnvironment(modules: [])
    _ = try environment.write("", as: "saved/effect-0/manifest.ttl")
    let text = try Projects.text("chain.modhost") + "state_load saved\n"
    let source = ProjectSource(path: "\(environment.path)/chain.modhost", text: text)
    let nodes = try ProjectFormats.read(source).nodes
    #expect(nodes.map(\.state) == ["\(environment.path)/saved/effect-0", nil])
  }

  @Test func `a chain of ecasound without plugins keeps its gain`() throws {
    // -ea:50 and -eadb:-6, both in the mean of two chains.
    #expect(try project("parallel.ecs").chainGains == [0.25, pow(10, -6 / 20.0) / 2])
  }

  @Test func `pedalboards keep connections, values, bypass and metre`() throws {
    let echo = try project("Clean_Echo.pedalboard")
    #expect(echo.connections.count == 5)
    #expect(echo.tempo == 96)
    #expect(echo.beatsPerBar == 3)
    let drive = try project("Parallel_Drive.pedalboard")
    #expect(drive.connections.count == 10)
    #expect(drive.nodes.map(\.isBypassed) == [false, true, false, false])
  }

  @Test func `the presets of EasyEffects have all bands`() throws {
    let bands = try project("easyeffects-bands.json").nodes[0]
    let keys = Set(bands.values.map { "\($0.key)" })
    for band in 0 ... 7 { #expect(keys.contains("al_\(band)")) }
    #expect(abs(bands.outputGain - pow(10, -2 / 20.0)) < 1e-6)
  }

  @Test func `the filter of EasyEffects 7 is that of Calf`() throws {
    let room = try project("easyeffects-room.json")
    #expect(room.notes.isEmpty)
    #expect(room.nodes[0].plugin == .lv2("http://calf.sourceforge.net/plugins/Filter"))
    let values = Dictionary(
      uniqueKeysWithValues: room.nodes[0].values.map { ("\($0.key)", Float($0.value)) })
    #expect(
      values == [
        "freq": 120, "res": 0.707_945_76,
        "mode": 4, "inertia": 20,
      ])
  }
}
