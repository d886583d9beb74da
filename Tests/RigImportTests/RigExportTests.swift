// RigExportTests.swift: rigs for other hosts. SPDX-License-Identifier: MIT

import ErrorModel
import PluginLoading
import PluginModel
import RigExport
import RigImport
import RigPlanning
import RigSchema
import RigTestSupport
import Session
import Testing

private let bundles = ["eg-amp.lv2", "mda.lv2"]

@Suite(.enabled(if: bundles.allSatisfy(RigTestEnvironment.hasBundle)))
struct `Rigs are exported if the other host renders the same` {
  private let environment: RigTestEnvironment

  init() throws {
    environment = try RigTestEnvironment(modules: ["gain", "parametric-eq"], bundles: bundles)
  }

  private func text(_ rig: String, _ exporter: any RigExporter.Type) throws -> String {
    let prepared = try PreparedRig(environment.rig(rig), environment.library)
    let planned = exporter.keys.contains(.bypass) ? prepared.withoutBypass : prepared
    return try exporter.text(of: prepared.rig, try planned.plan())
  }

  private func imported(_ text: String) throws -> RigDescription {
    try ProjectResolver.rig(
      of: ProjectFormats.read(ProjectSource(path: "a", text: text)), path: "a", output: nil,
      environment.library
    ).rig
  }

  private static let start = """
    input: {device: default, channels: 2}
    output: {device: default, channels: 2}
    nodes:
      amp: {plugin: "http://lv2plug.in/plugins/eg-amp", parameters: {gain: -6}}
      echo: {plugin: "http://drobilla.net/plugins/mda/Delay", parameters: {feedback: 0.4}}

    """

  @Test func `mod-host gets an instance for each channel of a mono plugin`() throws {
    let rig = Self.start + "connections: [in -> amp -> echo -> out]"
    #expect(
      try text(rig, ModHostExporter.self) == """
        add http://lv2plug.in/plugins/eg-amp 0
        param_set 0 gain -6
        add http://lv2plug.in/plugins/eg-amp 1
        param_set 1 gain -6
        add http://drobilla.net/plugins/mda/Delay 2
        param_set 2 feedback 0.4
        connect system:capture_1 effect_0:in
        connect system:capture_2 effect_1:in
        connect effect_0:out effect_2:left_in
        connect effect_1:out effect_2:right_in
        connect effect_2:left_out system:playback_1
        connect effect_2:right_out system:playback_2

        """)
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("triple_para-swh.lv2")))
  func `mod-host gets no plugin whose range is a share of the sample rate`() throws {
    let environment = try RigTestEnvironment(modules: [], bundles: ["triple_para-swh.lv2"])
    let rig = try environment.rig(
      "nodes: {eq: {plugin: \"http://plugin.org.uk/swh-plugins/triplePara\"}}\n"
        + "input: {device: default, channels: 1}\noutput: {device: default, channels: 1}\n"
        + "connections: [in -> eq -> out]")
    let prepared = try PreparedRig(rig, environment.library)
    let error = #expect(throws: RigExportError.self) {
      try ModHostExporter.text(of: prepared.rig, try prepared.plan())
    }
    #expect(
      error
        == .unsupportedKey(
          node: "eq", key: "parameters that follow the sample rate", host: "mod-host"))
  }

  @Test func `mod-host gets tempo and beats`() throws {
    let rig =
      Self.start
      + "transport: {tempo: 96.5, time_signature: 3/4}\nconnections: [in -> amp -> echo -> out]"
    let text = try text(rig, ModHostExporter.self)
    #expect(text.hasPrefix("set_bpm 96.5\nset_bpb 3\nadd "), "\(text)")
    #expect(try imported(text).transport.beatsPerMinute == 96.5)
  }

  @Test func `mod-host gets bypass and MIDI mappings, and they are imported again`() throws {
    let rig =
      "midi: {map: [cc 7 channel 1 -> amp.gain -20..6, bend channel 16 -> echo.feedback,"
      + " cc 80 channel 2 -> echo.bypass on..off]}\n"
      + Self.start.replacing("feedback: 0.4}", with: "feedback: 0.4}, bypass: on")
      + "connections: [\"in:1 -> amp\", amp -> echo -> out]"
    let text = try text(rig, ModHostExporter.self)
    #expect(text.contains("param_set 1 feedback 0.4\nbypass 1 1\nconnect "), "\(text)")
    #expect(
      text.hasSuffix(
        """
        connect effect_1:right_out system:playback_2
        midi_map 0 gain 0 7 -20 6
        midi_map 1 feedback 15 131 0 1
        midi_map 1 :bypass 1 80 0 1

        """), "\(text)")
    let back = try imported(text)
    #expect(back.nodes.map(\.isBypassed) == [false, true])
    #expect(
      back.maps.map(\.description) == [
        "cc 7 channel 1 -> effect-0.gain -20 dB..6 dB",
        "bend channel 16 -> effect-1.feedback 0..1", "cc 80 channel 2 -> effect-1.bypass on..off",
      ])
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("eg-sampler.lv2")))
  func `mod-host gets properties, with paths in quotation marks`() throws {
    let environment = try RigTestEnvironment(modules: [], bundles: ["eg-sampler.lv2"])
    let path = try environment.write("", as: "a click.wav")
    let rig = { (name: String) in
      try environment.rig(
        "nodes: {sampler: {plugin: \"http://lv2plug.in/plugins/eg-sampler\","
          + " properties: {sample: '\(name)'}}}\noutput: {device: default, channels: 1}\n"
          + "connections: [sampler -> out]")
    }
    let prepared = try PreparedRig(rig("a click.wav"), environment.library)
    let text = try ModHostExporter.text(of: prepared.rig, try prepared.plan())
    let command = "patch_set 0 http://lv2plug.in/plugins/eg-sampler#sample"
    #expect(text.contains("\(command) \"\(path)\"\n"), "\(text)")
    for name in ["a\"b.wav", "end\\", String(repeating: "long/", count: 220) + "a.wav"] {
      _ = try environment.write("", as: name)
      let prepared = try PreparedRig(rig(name), environment.library)
      let error = #expect(throws: RigExportError.self) {
        try ModHostExporter.text(of: prepared.rig, try prepared.plan())
      }
      #expect(error == .unwritableText(node: "sampler", property: "sample", host: "mod-host"))
    }
  }

  @Test func `an exported rig is imported with the same connections`() throws {
    let rig = Self.start + "connections: [in -> amp -> echo -> out]"
    let expected: Set = [
      "in:1 -> amp", "in:2 -> amp-2", "amp -> echo:left_in", "amp-2 -> echo:right_in",
      "echo -> out",
    ]
    let chain = try imported(text(rig, FilterChainExporter.self))
    #expect(Set(chain.connections.map(\.label)) == expected)
    #expect(chain.nodes.map { $0.parameters.map(\.text) } == [["-6 dB"], ["-6 dB"], ["0.4"]])
  }

  @Test func `PipeWire mixes sums and gains`() throws {
    let rig =
      Self.start
      + "connections: [\"in:1 -> amp\", \"in:1 -> out:2\", {from: amp, to: \"out:1\", gain: -6},"
      + " {from: \"in:2\", to: \"out:1\"}, in -> echo]"
    let text = try text(rig, FilterChainExporter.self)
    #expect(text.contains("control = { \"Gain 1\" = 0.5011872 \"Gain 2\" = 1 }"))
    let chain = try imported(text)
    let direct = chain.connections.filter { $0.to.nodeName == nil }
    #expect(
      Set(direct.map { "\($0.label) \(($0.gainDecibels * 10).rounded() / 10)" }) == [
        "amp -> out:1 -6.0", "in:2 -> out:1 0.0", "in:1 -> out:2 0.0",
      ])
  }

  @Test func `PipeWire gets an output of the graph that has no other link`() throws {
    let rig =
      Self.start
      + "connections: [\"in:1 -> amp\", amp -> echo, \"amp -> out:1\", \"echo:left_out -> out:2\"]"
    let text = try text(rig, FilterChainExporter.self)
    #expect(!text.contains("outputs = [ \"amp:out\""), "\(text)")
    #expect(text.contains("\"echo:left_out\" ]"), "\(text)")
    #expect(try imported(text).connections.map(\.label).contains("amp -> out:1"))
  }

  @Test func `PipeWire gets the bilinear equaliser as biquads`() throws {
    let rig = { (design: String) in
      """
      input: {device: default, channels: 2}
      output: {device: default, channels: 2}
      nodes:
        eq:
          plugin: outboard.parametric-eq
          parameters: {band_2_gain: -4.5, band_2_q: 2, band_8_type: Low-pass, output_gain: -6\(design)}
      connections: [in -> eq -> out]
      """
    }
    let text = try text(rig(", design: Bilinear"), FilterChainExporter.self)
    for part in [
      "label = bq_peaking control = { Freq = 120 Q = 2 Gain = -4.5 }",
      "label = bq_lowpass control = { Freq = 12000 Q = 0.707 }",
      "{ output = \"eq-2-1:Out\" input = \"eq-2-2:In\" }",
      "{ output = \"eq-2-2:Out\" input = \"eq-2-3:In 1\" }",
      "{ output = \"eq-2-2:Out\" input = \"eq-2-3:In 2\" }",
      // PipeWire 0.3.65 ignores the gain of a mixer with one input.
      "control = { \"Gain 1\" = 0.2505936 \"Gain 2\" = 0.2505936 }",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    let back = try imported(text)
    #expect(back.nodes.count == 2, "one for each channel: \(back.nodes.map(\.name))")
    #expect(
      back.nodes.allSatisfy { node in
        let values = node.parameters.map { "\($0.symbol)=\($0.text)" }
        return values.contains("band_1_gain=-4.5 dB") && values.contains("band_2_type=Low-pass")
      })
    let outputs = back.connections.filter { $0.to.nodeName == nil }
    #expect(outputs.allSatisfy { abs($0.gainDecibels + 6) < 1e-4 } && outputs.count == 2)
    let error = #expect(throws: RigExportError.self) {
      try self.text(rig(""), FilterChainExporter.self)
    }
    #expect(error == .notLV2(node: "eq", host: "PipeWire"))
  }

  @Test(arguments: [
    (
      "nodes: {a: {plugin: outboard.gain}}\nconnections: [in -> a -> out]",
      "a is not an LV2 plugin, and mod-host cannot load it. Export modules with `outboard export lv2`,"
        + " and use them in the rig."
    ),
    (
      start.replacing("gain: -6}", with: "gain: -6}, wet: 50 %")
        + "connections: [in -> amp -> out]",
      "amp has wet, which the export to mod-host does not support."
        + " Remove it from a copy of the rig, which changes the sound."
    ),
    (
      start + "connections: [{from: in, to: amp, gain: -3}, amp -> out]",
      "The connection in -> amp has a gain, which the export to mod-host does not support."
        + " Remove it from a copy of the rig, which changes the sound."
    ),
    (
      start + "connections: [in -> amp, {from: amp, to: out, delay: 10 ms}]",
      "The connection amp -> out has a delay, which the export to mod-host does not support."
        + " Remove it from a copy of the rig, which changes the sound."
    ),
  ])
  func `what the other host lacks is refused`(rig: String, message: String) throws {
    let error = #expect(throws: RigExportError.self) { try text(rig, ModHostExporter.self) }
    #expect(error?.description == message)
    #expect(error?.exitStatus == 2)
  }

  @Test func `mod-host gets MIDI connections, and PipeWire no instrument`() throws {
    let rig = { (connections: String) in
      "input: none\noutput: {device: default, channels: 2}\n"
        + "nodes: {piano: {plugin: \"http://drobilla.net/plugins/mda/EPiano\"}}\n"
        + "connections: [\(connections)piano -> out]"
    }
    for connections in ["", "\"in:midi -> piano:midi\", "] {
      let text = try text(rig(connections), ModHostExporter.self)
      #expect(text.contains("connect system:midi_capture_1 effect_0:event_in\n"), "\(text)")
      #expect(try imported(text).connections.contains { $0.carriesMIDI } || connections.isEmpty)
      let error = #expect(throws: RigExportError.self) {
        try self.text(rig(connections), FilterChainExporter.self)
      }
      #expect(error == .needsMIDI(node: "piano", host: "PipeWire"))
    }
  }

  @Test(arguments: [
    ("a: {instances: 2, plugin: P}, a-2: {plugin: P}", "a-2"),
    ("rig-in-1: {plugin: P}", "rig-in-1"),
  ])
  func `PipeWire gets no two filters with one name`(nodes: String, name: String) throws {
    let plugin = "\"http://lv2plug.in/plugins/eg-amp\""
    let rig =
      "input: {device: default, channels: 2}\noutput: {device: default, channels: 2}\n"
      + "nodes: {\(nodes.replacing(": P}", with: ": \(plugin)}"))}\n"
      + "connections: [in -> \(nodes.prefix { $0 != ":" }) -> out]"
    let error = #expect(throws: RigExportError.self) { try text(rig, FilterChainExporter.self) }
    #expect(error == .repeatedName(name: name, host: "PipeWire"))
  }

  @Test func `mod-host gets no connection twice`() throws {
    let rig = Self.start + "connections: [in -> amp, \"in:1 -> amp:1\", amp -> out]"
    let error = #expect(throws: RigExportError.self) { try text(rig, ModHostExporter.self) }
    #expect(
      error == .unsupportedConnection(from: "in", to: "amp", key: "a gain", host: "mod-host"))
  }

  @Test func `PipeWire gets neither bypass nor MIDI mappings`() throws {
    let rig = Self.start + "connections: [in -> amp -> out]"
    let bypassed = rig.replacing("feedback: 0.4}", with: "feedback: 0.4}, bypass: on")
    for (rig, expected) in [
      (bypassed, RigExportError.unsupportedKey(node: "echo", key: "bypass", host: "PipeWire")),
      ("midi: {map: [cc 7 channel 1 -> amp.gain]}\n" + rig, .mapsControls(host: "PipeWire")),
    ] {
      let error = #expect(throws: RigExportError.self) { try text(rig, FilterChainExporter.self) }
      #expect(error == expected)
    }
  }
}
