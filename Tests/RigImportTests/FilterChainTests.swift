// FilterChainTests.swift: biquads and missing plugins of PipeWire's filter-chain. SPDX-License-Identifier: MIT

import PluginLoading
import RigImport
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@Suite struct `Filter-chains become rigs` {
  private let environment: RigTestEnvironment

  init() throws { environment = try RigTestEnvironment(modules: ["parametric-eq"], bundles: []) }

  /// Imports a graph with filters, links, and the rest of the arguments.
  private func rig(
    _ filters: [String], _ links: [String] = [], ends: String = "", channels: Int = 2
  ) throws -> ImportedRig {
    let text = """
      context.modules = [ { name = libpipewire-module-filter-chain args = { filter.graph = {
        nodes = [ \(filters.joined(separator: "\n")) ]
        links = [ \(links.map { "{ \($0) }" }.joined(separator: "\n")) ]
        \(ends) } audio.channels = \(channels) } } ]
      """
    let source = ProjectSource(path: "chain.conf", text: text)
    let imported = try ProjectResolver.rig(
      of: ProjectFormats.read(source), path: source.path, output: nil, environment.library)
    _ = try environment.library.find(
      nodesOf: RigReader.read(text: imported.text, file: "rig.yaml"))
    return imported
  }

  private func filter(_ name: String, _ label: String, _ control: String) -> String {
    "{ type = builtin name = \(name) label = \(label) control = { \(control) } }"
  }

  private func lv2(_ name: String) -> String {
    "{ type = lv2 name = \(name) plugin = \"urn:outboard:test:missing-\(name)\" }"
  }

  private func link(_ from: String, _ to: String) -> String {
    "output = \"\(from)\" input = \"\(to)\""
  }

  private func values(_ node: RigNode) -> [String] {
    node.parameters.map { "\($0.symbol)=\($0.text)" }
  }

  @Test func `consecutive biquads are bands of one stereo equaliser`() throws {
    let imported = try rig(
      [
        filter("eq_band_1", "bq_lowshelf", "Freq = 100.0 Q = 1.0 Gain = 3.0"),
        filter("eq_band_2", "bq_peaking", "Freq = 250.0 Q = 2.0 Gain = -4.5"),
        filter("eq_band_3", "bq_highshelf", "Freq = 8000.0 Gain = 2.0"),
        filter("eq_band_4", "bq_highpass", "Freq = 30.0"),
        filter("eq_band_5", "bq_lowpass", "Freq = 16000.0 Q = 0.5"),
        filter("eq_band_6", "bq_bandpass", "Freq = 1000.0 Q = 0.2"),
        filter("eq_band_7", "bq_notch", "Freq = 50.0 Q = 12.0"),
        filter("eq_band_8", "bq_allpass", "Freq = 700.0 Q = 0.9"),
      ],
      (1 ... 7).map { link("eq_band_\($0):Out", "eq_band_\($0 + 1):In") })
    #expect(imported.notes.isEmpty, "\(imported.notes)")
    #expect(imported.rig.nodes.map(\.name) == ["eq-band"])
    #expect(imported.rig.connections.map(\.label) == ["in -> eq-band", "eq-band -> out"])
    let written = values(imported.rig.nodes[0])
    for value in [
      "design=Bilinear", "band_1_frequency=100 Hz", "band_1_gain=3 dB", "band_1_q=1",
      "band_2_gain=-4.5 dB", "band_3_type=High shelf", "band_3_frequency=8000 Hz",
      "band_4_type=High-pass", "band_5_type=Low-pass", "band_5_q=0.5", "band_6_type=Band-pass",
      "band_7_type=Notch", "band_8_type=All-pass",
    ] {
      #expect(written.contains(value), "\(value) in \(written)")
    }
    // PipeWire's default is 1/√2.
    #expect(imported.text.contains("band_4_q: 0.70710677"), "\(imported.text)")
  }

  @Test func `branches, gains and a ninth band begin another equaliser`() throws {
    let bell = "Freq = 500.0 Q = 1.0 Gain = 1.0"
    let many = (1 ... 9).map { filter("b\($0)", "bq_peaking", bell) }
    let nine = try rig(many, (1 ... 8).map { link("b\($0):Out", "b\($0 + 1):In") }, channels: 1)
    #expect(nine.rig.nodes.map(\.name) == ["b", "b9"])
    #expect(
      nine.rig.connections.map(\.label) == [
        "b:left_out -> b9:left_in", "in:1 -> b:left_in", "b9:left_out -> out:1",
      ])
    let branched = try rig(
      [filter("a", "bq_peaking", bell), filter("b", "bq_peaking", bell), filter("m", "mixer", "")],
      [link("a:Out", "b:In"), link("a:Out", "m:In 1"), link("b:Out", "m:In 2")], channels: 1)
    #expect(branched.rig.nodes.map(\.name) == ["a", "b"])
    let quieter = try rig(
      [
        filter("a", "bq_peaking", bell), filter("m", "mixer", "\"Gain 1\" = 0.5"),
        filter("b", "bq_peaking", bell),
      ], [link("a:Out", "m:In 1"), link("m:Out", "b:In")], channels: 1)
    #expect(quieter.rig.nodes.map(\.name) == ["a", "b"])
    #expect(quieter.rig.connections.contains { ($0.gainDecibels * 100).rounded() == -602 })
  }

  @Test func `more channels share equalisers in pairs`() throws {
    let imported = try rig(
      [
        filter("a", "bq_peaking", "Freq = 500.0 Q = 1.0 Gain = 1.0"),
        filter("b", "bq_notch", "Freq = 50.0 Q = 1.0"),
      ], [link("a:Out", "b:In")], channels: 3)
    #expect(imported.rig.nodes.map(\.name) == ["a", "a-2"])
    let labels = imported.rig.connections.map(\.label)
    #expect(labels.contains("in:3 -> a-2:left_in"), "\(imported.text)")
  }

  @Test(arguments: [
    ("bq_peaking", "Freq = 10.0 Q = 1.0 Gain = 1.0"), ("bq_peaking", "Freq = 100.0 Gain = 1.0"),
    ("bq_lowshelf", "Freq = 100.0 Gain = 30.0"), ("bq_notch", "Freq = 100.0 Q = 50.0"),
    ("bq_raw", "b0 = 0.5"), ("bq_lowpass", ""),
  ])
  func `what no band does is reported`(label: String, control: String) throws {
    let imported = try rig([filter("f", label, control)])
    #expect(imported.rig.nodes.isEmpty)
    let reason =
      label == "bq_raw"
      ? "PipeWire bq_raw plugins are not supported."
      : "line 2: \(label) was not carried over. The equaliser allows"
    let reported = imported.notes.filter { $0.description.contains(label) }.map(\.description)
    #expect(reported.count == 1 && reported[0].hasPrefix(reason), "\(imported.text)")
  }

  @Test func `missing plugins at the ends keep all channels that are linked`() throws {
    let imported = try rig(
      [lv2("first"), lv2("last")],
      [link("first:out_l", "last:in_l"), link("first:out_r", "last:in_r")])
    #expect(imported.rig.connections.map(\.label) == ["in -> out"])
    let text = imported.text
    #expect(
      text.contains("first: The number of its inputs is unknown. The rig assumes 2,"), "\(text)")
    #expect(
      text.contains("last: The number of its outputs is unknown. The rig assumes 2,"), "\(text)")
    let single = try rig([lv2("first"), lv2("last")], [link("first:out", "last:in")], channels: 2)
    #expect(single.rig.connections.map(\.label) == ["in -> out"], "\(single.text)")
  }

  @Test func `a chain of mixers and delays alone is a rig of connections`() throws {
    let imported = try rig(
      [filter("l", "copy", ""), filter("m", "mixer", "\"Gain 1\" = 0.5 \"Gain 2\" = 0.5")],
      [link("l:Out", "m:In 1"), link("l:Out", "m:In 2")],
      ends: "inputs = [ \"l:In\" ] outputs = [ \"m:Out\" ]", channels: 1)
    #expect(imported.notes.isEmpty)
    #expect(imported.rig.connections.map(\.label) == ["in:1 -> out:1"])
    #expect(imported.rig.connections.map(\.gainDecibels) == [0])
  }

  @Test func `inputs that a missing plugin would mix are reported`() throws {
    let imported = try rig(
      [lv2("sum")], ends: "inputs = [ \"sum:a\" \"sum:b\" ] outputs = [ \"sum:out\" ]", channels: 2)
    #expect(imported.rig.connections.map(\.label) == ["in:1 -> out:1"])
    #expect(
      imported.text.contains("sum: Only 1 of its 2 inputs has a direct connection in the rig."),
      "\(imported.text)")
  }
}
