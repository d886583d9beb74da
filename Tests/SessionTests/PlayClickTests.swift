// PlayClickTests.swift: a tone during presets, manual changes, and changes of delay. SPDX-License-Identifier: MIT

import GraphTestSupport
import LV2Fixtures
import PluginLoading
import PluginModel
import RigTestSupport
import Testing

@testable import Session

@Suite(.serialized) struct `A tone through a running rig` {
  private func rig(
    _ nodes: String, _ connections: String = "[tone -> a -> out]", in workshop: RigTestEnvironment
  ) throws -> PreparedRig {
    try PreparedRig(
      try workshop.rig(
        """
        output: {device: out, channels: 2}
        period: 64
        overload_protection: off
        nodes:
          \(ToneRun.tone)
          \(nodes)
        connections: \(connections)
        """), workshop.library)
  }

  /// Plays a node with the named presets of the plugin, one after the other.
  private func play(
    _ plugin: String, presets: [String], canDip: Bool = false, in workshop: RigTestEnvironment
  ) throws {
    let rigs = try presets.map { try rig("a: {plugin: \(plugin), preset: \($0)}", in: workshop) }
    let run = try ToneRun(rigs[0], workshop.library)
    for (next, name) in zip(rigs, presets).dropFirst() {
      try run.step("\(plugin), \(name)") { _ = try run.session.edit(to: next) }
    }
    try run.step("\(plugin), taken back") { _ = try run.session.undo() }
    let passages = run.end()
    #expect(passages.count == presets.count + 1)
    expectNoClick(in: passages, canDip: canDip)
  }

  @Test func `no preset of a module clicks`() throws {
    let workshop = try RigTestEnvironment(modules: [
      "oscillator", "delay", "parametric-eq", "compressor",
    ])
    for name in ["delay", "parametric-eq", "compressor"] {
      let plugin = try workshop.library.find("outboard.\(name)")
      let presets = try workshop.library.presets(of: plugin).prefix(3).map(\.fullName)
      try #require(presets.count > 1)
      try play(plugin.identifier, presets: presets, canDip: true, in: workshop)
    }
  }

  @Test func `no preset of an LV2 plugin with a state clicks`() throws {
    let directory = try BundleDirectory(["state"])
    let workshop = try RigTestEnvironment(
      modules: ["oscillator"], bundlePaths: [directory.bundle("state")])
    try play(
      "urn:outboard:test:state", presets: ["Small", "Rooms/Large hall", "Rooms/Small"], in: workshop
    )
    withExtendedLifetime(directory) {}
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("ZamEQ2.lv2")))
  func `no preset of an installed plugin clicks`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"], bundles: ["ZamEQ2.lv2"])
    let plugin = try #require(workshop.library.installed.first { $0.kind.rawValue == "lv2" })
    let presets = try workshop.library.presets(of: plugin).prefix(3).map(\.fullName)
    try #require(presets.count > 1)
    try play(plugin.identifier, presets: presets, canDip: true, in: workshop)
  }

  @Test func `no manual change of a value clicks`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator", "gain"])
    let run = try ToneRun(
      rig("a: {plugin: outboard.gain, parameters: {gain: -6}}", in: workshop), workshop.library)
    let values = [
      ("wet", "30 %"), ("bypass", "on"), ("wet", "80 %"), ("bypass", "off"), ("wet", "100 %"),
      ("gain", "-12"), ("gain", "-6"),
    ]
    for (symbol, text) in values {
      try run.step("\(symbol) \(text)") {
        _ = try run.session.set("a", to: [(symbol, text)])
      }
    }
    let passages = run.end()
    expectNoClick(in: passages.filter { !$0.name.hasPrefix("gain") })
    // The start of the module's own ramp has a corner.
    expectNoClick(in: passages.filter { $0.name.hasPrefix("gain") }, canBend: true)
  }

  /// Paths that bypass a plugin with latency: a branch or its dry signal, with the sum of both.
  static let bypassCases = [
    ("[tone -> a -> out, {from: tone, to: out}]", "", 0.2),
    ("[tone -> a -> out]", ", wet: 50 %", 0.1),
  ]

  @Test(arguments: bypassCases)
  func `a plugin that changes its delay is aligned again without a click`(
    connections: String, share: String, level: Double
  ) throws {
    let directory = try BundleDirectory(["late"])
    let workshop = try RigTestEnvironment(
      modules: ["oscillator"], bundlePaths: [directory.bundle("late")])
    let run = try ToneRun(
      rig(
        "a: {plugin: \"urn:outboard:test:late\", instances: 2, parameters: {delay: 100}\(share)}",
        connections, in: workshop), workshop.library)
    let delays = [1_000, 5_000, 40]
    for delay in delays {
      try run.step("delay \(delay)", until: { run.session.latencyFrames == delay }) {
        _ = try run.session.set("a", to: [("delay", "\(delay)")])
      }
      #expect(run.session.latencyFrames == delay)
    }
    let passages = run.end()
    // Until it is aligned, the two paths have different delays.
    expectNoClick(in: passages, canDip: true)
    for passage in passages.dropFirst() {
      let captured = ToneTracker(passage.samples).endLevel
      #expect(abs(captured - level) < 0.001, "\(passage.name)")
    }
    #expect(
      run.reported
        == delays.map {
          "a changed its latency to \($0) frames. Parallel paths were realigned."
        })
    withExtendedLifetime(directory) {}
  }
}
