// ImportedRigTests.swift: rigs that are made of projects. SPDX-License-Identifier: MIT

import Foundation
import PluginLoading
import PluginModel
import RigImport
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

/// The plugins of the projects.
private let bundles = ["eg-amp.lv2", "eg-fifths.lv2", "mda.lv2", "sc4-swh.lv2"]

@Suite(.enabled(if: bundles.allSatisfy(RigTestEnvironment.hasBundle)))
struct `Projects become rigs` {
  private let environment: RigTestEnvironment

  init() throws { environment = try RigTestEnvironment(modules: [], bundles: bundles) }

  private func rig(_ source: ProjectSource) throws -> ImportedRig {
    try ProjectResolver.rig(
      of: ProjectFormats.read(source), path: source.path, output: nil, environment.library)
  }

  /// Imports a project, and returns the nodes and connections of its rig file.
  private func body(_ source: ProjectSource) throws -> String {
    let imported = try rig(source)
    let read = try RigReader.read(text: imported.text, file: "rig.yaml")
    _ = try environment.library.find(nodesOf: read)
    let lines = imported.text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = lines.firstIndex { $0.hasPrefix("nodes:") } ?? lines.endIndex
    return lines[start...].joined(separator: "\n")
  }

  private func fixture(_ name: String) throws -> ProjectSource {
    try ProjectSource(path: Projects.path(name))
  }

  @Test func `a rack of Carla is a series with two instances of mono plugins`() throws {
    #expect(
      try body(fixture("carla-rack.carxp")) == """
        nodes:
          amp:
            plugin: "http://lv2plug.in/plugins/eg-amp"
            instances: 2
            parameters:
              gain: -6 dB
          compressor:
            plugin: "http://plugin.org.uk/swh-plugins/sc4"
            parameters:
              attack: 12.5
              threshold: -22.25
          delay:
            plugin: "http://drobilla.net/plugins/mda/Delay"
            wet: 75 %
            parameters:
              r_delay: 0.25
              feedback: 0.4
              fb_tone: 0.6
              fx_mix: 0.55

        connections:
          - in -> amp
          - amp -> compressor
          - compressor -> delay
          - {from: delay, to: out, gain: -6.0206}

        """)
  }

  @Test func `a patchbay of Carla keeps its connections`() throws {
    let imported = try rig(fixture("carla-patchbay.carxp"))
    let connections = imported.rig.connections.map(\.label)
    #expect(
      connections == [
        "in:1 -> left-gain", "in:2 -> right-gain", "left-gain -> stereo-delay:left_in",
        "right-gain -> stereo-delay:right_in", "stereo-delay -> out", "left-gain -> out:2",
        "in:midi -> fifths:midi", "fifths:midi -> out:midi",
      ])
    #expect(
      imported.notes.map(\.description) == [
        "Carla internal plugins are not supported. The rig has a direct connection in place of LFO."
          + " Insert an LV2 plugin instead."
      ])
  }

  @Test func `presets become rigs of one node`() throws {
    let carla = try rig(fixture("carla-compressor.carxs"))
    #expect(carla.rig.nodes.map(\.name) == ["compressor"])
    #expect(carla.rig.connections.map(\.label) == ["in -> compressor", "compressor -> out"])
    for name in ["eg-amp-quiet.lv2", "eg-amp-quiet.lv2/quiet.ttl"] {
      let preset = try rig(fixture(name))
      #expect(preset.rig.name == "Quiet")
      #expect(preset.rig.nodes[0].parameters.map(\.text) == ["-7.25 dB"])
      #expect(preset.rig.connections.map(\.label) == ["in:1 -> quiet", "quiet -> out:1"])
    }
  }

  @Test func `commands of mod-host are carried out`() throws {
    let imported = try rig(fixture("chain.modhost"))
    #expect(imported.notes.isEmpty)
    #expect(
      imported.rig.connections.map(\.label) == [
        "in:1 -> effect-0", "effect-0 -> effect-1", "effect-1 -> out",
      ])
    let edited =
      try Projects.text("chain.modhost")
      + "remove 1\nparam_set 0 gain 3\nparam_set 0 gian 3\nbypass 0 1\nmidi_map 0 gain 0 7 0 1\n"
      + "connect effect_0:out other:in\n"
    let second = try rig(ProjectSource(path: "chain.modhost", text: edited))
    #expect(second.rig.nodes.map(\.name) == ["effect-0"])
    #expect(second.rig.nodes[0].isBypassed)
    #expect(second.rig.nodes[0].parameters.map(\.text) == ["3 dB"])
    #expect(
      second.notes.map(\.description)
        == [
          "line 17: The connection effect_0:out -> other:in leaves the project. Add it to the rig if you"
            + " need it.",
          "line 14: effect-0: The plugin has no parameter gian, so 3 was not set. Compare `outboard info`.",
        ])
  }

  @Test func `a channel of mod-host that no MIDI device has is reported`() throws {
    for channel in ["16", "-2", "9223372036854775807"] {
      let text = try Projects.text("chain.modhost") + "midi_map 0 gain \(channel) 7 0 1\n"
      let imported = try rig(ProjectSource(path: "chain.modhost", text: text))
      #expect(imported.rig.maps.isEmpty)
      #expect(imported.notes.map(\.description).contains { $0.contains("The control 7 of gain") })
    }
  }

  @Test func `a property and a preset of mod-host are reported with their own lines`() throws {
    let text =
      "add http://lv2plug.in/plugins/eg-amp 0\npatch_set 0 urn:none 1\n"
      + "preset_load 0 urn:missing\n"
    let notes = try rig(ProjectSource(path: "a", text: text)).notes.map(\.description)
    #expect(notes.contains { $0.hasPrefix("line 2: ") && $0.contains("urn:none") }, "\(notes)")
    #expect(notes.contains { $0.hasPrefix("line 3: ") && $0.contains("urn:missing") }, "\(notes)")
  }

  @Test func `unknown parameters of a node are one note`() throws {
    let text = try Projects.text("chain.modhost") + "param_set 0 a 1\nparam_set 0 b 2\n"
    let imported = try rig(ProjectSource(path: "chain.modhost", text: text))
    let notes = imported.notes.map(\.description).filter { $0.contains("a, b") }
    #expect(notes.count == 1 && notes[0].contains("The plugin has no parameters a, b, so their"))
  }

  @Test func `a note lists only the first of many unknown parameters`() throws {
    let lines = (1 ... 25).map { "param_set 0 p\($0) 1\n" }.joined()
    let source = ProjectSource(path: "a", text: "add http://lv2plug.in/plugins/eg-amp 0\n" + lines)
    let notes = try rig(source).notes.map(\.description)
    #expect(notes.count == 1)
    #expect(notes[0].contains(", p19, p20 and 5 more, so their values"), "\(notes)")
  }

  @Test func `a chain of ecasound with only a gain is a connection`() throws {
    let imported = try rig(
      ProjectSource(path: "x.ecs", text: "-f:s16_le,2,48000 -i:a.wav -o:b.wav -eadb:-3"))
    #expect(imported.rig.nodes.isEmpty)
    #expect(imported.rig.connections.allSatisfy { abs($0.gainDecibels + 3) < 0.001 })
    #expect(!imported.rig.connections.isEmpty)
  }

  @Test func `files that are no projects are named`() {
    for (text, expected) in [
      ("name: stage\nnodes: {}\n", "x is a rig already. Run it with `outboard run --rig x`."),
      (
        "-i:a.wav -o:b.wav",
        "x is an ecasound chain setup without plugins, so there is nothing to import. Check the"
          + " file name."
      ),
    ] {
      let error = #expect(throws: ImportError.self) {
        try ProjectFormats.read(ProjectSource(path: "x", text: text))
      }
      #expect(error?.description == expected)
    }
  }

  @Test func `an option of ecasound with a blank before its value is reported`() throws {
    let project = try ProjectFormats.read(
      ProjectSource(path: "x", text: "-i voice.wav -o:b.wav -eadb:-3"))
    #expect(
      project.notes.first?.description
        == "line 1: The option -i was not carried over. Write its value after a colon, without a blank,"
        + " e.g. `-i:voice.wav`.")
  }

  @Test func `the stream properties of a filter chain are taken over or reported`() throws {
    let text = """
      { filter.graph = { nodes = [ { type = builtin name = a label = copy } ] }
      capture.props = { media.class = Audio/Sink audio.rate = 96000 }
      playback.props = { target.object = usb-card } }
      """
    let imported = try rig(ProjectSource(path: "chain.conf", text: text))
    #expect(imported.rig.sampleRateHz == 96_000)
    #expect(
      imported.notes.map(\.description) == [
        "line 2: capture.props: media.class = Audio/Sink was not carried over. Other programs do"
          + " not see a session as a device; connect them in PipeWire.",
        "line 3: playback.props: target.object = usb-card was not carried over. Name the device as"
          + " `output` in the rig, or connect the session in PipeWire.",
      ])
  }

  @Test func `the impulse response of a convolver of EasyEffects is named`() throws {
    let text = """
      {"output": {"plugins_order": ["convolver#0"], "convolver#0": {"kernel-name": "hall"}}}
      """
    let notes = try rig(ProjectSource(path: "x.json", text: text)).notes.map(\.description)
    #expect(
      notes.contains {
        $0.contains("The impulse response hall") && $0.contains("`plugin: outboard.convolver`")
      }, "\(notes)")
    #expect(notes.contains { $0.contains("convolver is a part of EasyEffects, not LV2.") })
  }

  @Test func `connections that close a feedback loop are left out, and named once`() throws {
    let chain = try Projects.text("chain.modhost")
    let loops = "connect effect_1:left_out effect_0:in\nconnect effect_1:right_out effect_0:in\n"
    let imported = try rig(ProjectSource(path: "chain.modhost", text: chain + loops))
    #expect(
      imported.notes.map(\.description) == [
        "The connection effect-1 -> effect-0 was not imported: it closes a feedback loop. Add it with a `delay`."
      ])
    #expect(
      imported.rig.connections.map(\.label) == [
        "in:1 -> effect-0", "effect-0 -> effect-1", "effect-1 -> out",
      ])
  }

  @Test func `chains of ecasound use the LV2 versions of LADSPA plugins`() throws {
    let imported = try rig(fixture("voice.ecs"))
    #expect(imported.rig.sampleRateHz == 44_100)
    #expect(imported.rig.nodes.map(\.name) == ["eg-amp", "sc4", "delay"])
    #expect(imported.rig.nodes[0].instanceCount == 2)
    #expect(
      imported.rig.nodes[1].parameters.map { "\($0.symbol)=\($0.text)" } == [
        "attack=12.5", "release=300", "threshold=-22.25", "ratio=4", "makeup_gain=6",
      ])
    #expect(imported.rig.connections.map(\.gainDecibels)[2] == -3)
    #expect(imported.notes.count == 3)
  }

  @Test func `filters of PipeWire that only mix or delay become connections`() throws {
    let imported = try rig(ProjectSource(path: "sink.conf", text: Projects.filterChain))
    #expect(imported.rig.name == "Warm sink")
    #expect(imported.rig.nodes.map(\.name) == ["amp", "comp", "amp-2", "comp-2"])
    let last = imported.rig.connections.filter { $0.to.nodeName == nil }
    #expect(
      last.map(\.label) == [
        "comp:left_out -> out:1", "comp:right_out -> out:1", "comp-2:left_out -> out:2",
        "comp-2:right_out -> out:2",
      ])
    #expect(last.map(\.delaySeconds) == [0.01, 0.01, 0.01, 0.01])
    #expect(last.map { ($0.gainDecibels * 100).rounded() / 100 } == [-6.02, -12.04, -6.02, -12.04])
  }

  @Test func `a filter that is not supported passes the implicit input on`() throws {
    let imported = try rig(
      ProjectSource(path: "hall.conf", text: Projects.filterChainWithConvolver))
    #expect(imported.rig.nodes.map(\.name) == ["amp"])
    #expect(imported.rig.connections.map(\.label) == ["amp -> out:1", "in:1 -> amp"])
  }

  @Test func `a pedalboard of MOD keeps tempo and bypass`() throws {
    let imported = try rig(ProjectSource(path: "Clean.ttl", text: Projects.pedalboard))
    #expect(imported.rig.name == "Clean")
    #expect(imported.rig.transport.beatsPerMinute == 96)
    #expect(imported.rig.transport.beatsPerBar == 3)
    #expect(imported.rig.nodes.map(\.isBypassed) == [true])
    #expect(imported.rig.nodes[0].parameters.map(\.text) == ["-4.5 dB"])
    #expect(imported.rig.connections.map(\.label) == ["in:1 -> amp", "amp -> out"])
    #expect(imported.notes.isEmpty)
  }

  @Test func `an inactive plugin of Carla is muted`() throws {
    let text = try Projects.text("carla-rack.carxp")
    guard let range = text.range(of: "<Active>Yes") else { throw CocoaError(.coderValueNotFound) }
    let changed = text.replacingCharacters(in: range, with: "<Active>No")
    let imported = try rig(ProjectSource(path: "rack.carxp", text: changed))
    #expect(imported.rig.connections.map(\.gainDecibels)[1] == -.infinity)
    #expect(imported.notes.map(\.reason) == [.muted])
  }

  @Test func `values that the plugin does not allow are clamped with a note`() throws {
    let text = "add http://lv2plug.in/plugins/eg-amp 0\nparam_set 0 gain 99\nparam_set 0 gain x\n"
    let imported = try rig(ProjectSource(path: "a", text: text))
    #expect(imported.rig.nodes[0].parameters.map(\.text) == ["24 dB"])
    #expect(
      imported.notes.map(\.reason) == [
        .notANumber(name: "gain", value: "x"),
        .valueChanged(name: "gain", value: "99", used: "24 dB"),
      ])
  }
}

@Suite struct `Missing plugins are bypassed` {
  private func rig(_ text: String) throws -> ImportedRig {
    let environment = try RigTestEnvironment(modules: [], bundles: ["eg-amp.lv2"])
    return try ProjectResolver.rig(
      of: ProjectFormats.read(ProjectSource(path: "a", text: text)), path: "a", output: nil,
      environment.library)
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("eg-amp.lv2")))
  func `each is named once, and the rest is imported`() throws {
    let imported = try rig(
      """
      add http://example.org/eq 0
      add http://lv2plug.in/plugins/eg-amp 1
      add http://example.org/eq 2
      connect system:capture_1 effect_0:left
      connect system:capture_2 effect_0:right
      connect effect_0:out_left effect_1:in
      connect effect_0:out_right effect_2:in
      connect effect_1:out system:playback_1
      connect effect_2:out system:playback_2
      """)
    #expect(imported.rig.nodes.map(\.name) == ["effect-1"])
    #expect(
      Set(imported.rig.connections.map(\.label)) == [
        "in:1 -> effect-1", "in:2 -> out:2", "effect-1 -> out:1",
      ])
    #expect(
      imported.notes.map(\.description) == [
        "http://example.org/eq is not installed. The rig has direct connections in place of effect_0,"
          + " effect_2. Install it and import again."
      ])
    #expect(imported.text.hasPrefix("# Imported from the mod-host command file a.\n# http://exam"))
  }

  @Test func `presets of EasyEffects keep the plugins, their values and gains`() throws {
    let project = try ProjectFormats.read(
      ProjectSource(path: "loud.json", text: Projects.easyEffects))
    #expect(
      project.nodes.map(\.plugin) == [
        .lv2("http://calf.sourceforge.net/plugins/BassEnhancer"),
        .other(format: "EasyEffects", name: "autogain"),
        .lv2("http://lsp-plug.in/plugins/lv2/para_equalizer_x32_lr"),
      ])
    let values = project.nodes.map { node in
      Dictionary(uniqueKeysWithValues: node.values.map { ("\($0.key)", Float($0.value)) })
    }
    #expect(values[0] == ["amount": 1.995_262_3, "freq": 150])
    // EasyEffects uses both sides of the file, also if the channels are not split.
    #expect(
      values[2] == [
        "fl_0": 90, "fr_0": 80, "gl_0": 1.995_262_3, "gr_0": 1.122_018_5, "ftl_0": 3,
        "ftr_0": 1, "sl_0": 1, "sr_0": 0,
      ])
    #expect(project.nodes.map(\.isBypassed) == [false, false, true])
    #expect(Float(project.nodes[0].inputGain) == 0.707_945_76)
  }
}
