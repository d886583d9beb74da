// PluginLibraryTests.swift: from a name or a path to a running node. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import ModuleHost
import PluginCatalogue
import PluginModel
import RealtimeKit
import RenderGraph
import RigTestSupport
import Testing

@testable import Manifests
@testable import PluginLoading
@testable import RigPlanning

@Suite struct PluginLibraryTests {
  // MARK: - Names and paths

  @Test func `a built-in, a module and an LV2 plugin are found by any of their names`() throws {
    let hasMDA = RigTestEnvironment.hasBundle("mda.lv2")
    let workshop = try RigTestEnvironment(modules: ["gain", "gate"], bundles: ["mda.lv2"])
    #expect(try workshop.library.find("mixer").kind == .builtin)
    #expect(try workshop.library.find("outboard.gate").kind == .module)
    #expect(try workshop.library.find("GAIN").identifier == "outboard.gain")
    guard hasMDA else { return }
    let uri = "http://drobilla.net/plugins/mda/Ambience"
    #expect(try workshop.library.find(uri).audioOutputs.count == 2)
    #expect(try workshop.library.find("mda Ambience").identifier == uri)
  }

  @Test func `a module is found by the path of its library and of its manifest`() throws {
    let workshop = try RigTestEnvironment()
    let byManifest = try workshop.library.find("\(workshop.path)/modules/gain.yaml")
    let byLibrary = try workshop.library.find("\(workshop.path)/modules/gain.so")
    #expect(byManifest.identifier == "outboard.gain")
    #expect(byLibrary == byManifest)
  }

  @Test func `a library without a manifest is refused, and the message says how to fix it`() throws
  {
    let library = try Fixture.copy("process_only")
    let name = URL(fileURLWithPath: library).deletingPathExtension().lastPathComponent
    let error = #expect(throws: PluginLibraryError.self) {
      try RigTestEnvironment().library.find(library)
    }
    #expect(
      error?.description
        == "\(library) has no manifest. Put \(name).yaml in the same directory, with its id,"
        + " name and channel counts.")
  }

  @Test func `a manifest without a library describes the module, and reports the missing file`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let manifest = "\(workshop.path)/modules/gain.yaml"
    try FileManager.default.removeItem(atPath: "\(workshop.path)/modules/gain.so")
    let plugin = try workshop.library.find(manifest)
    #expect(
      plugin.refusal == "\(manifest) has no library. Put gain.so or libgain.so in the same"
        + " directory.")
    let error = #expect(throws: PluginLibraryError.self) {
      try workshop.library.preflight([plugin])
    }
    #expect(error?.description == "Gain cannot be used: \(plugin.refusal ?? "")")
  }

  @Test func `a path without a file is refused as such`() throws {
    let workshop = try RigTestEnvironment()
    for (name, message) in [
      (
        "/nowhere/x.so",
        "/nowhere/x.so: no such file. A module is a shared library with"
          + " a manifest in the same directory."
      ),
      ("/nowhere/x.c", "/nowhere/x.c: no such file."),
      ("/nowhere/x.yaml", "/nowhere/x.yaml: no such file."),
    ] {
      let error = #expect(throws: (any Error).self) { try workshop.library.find(name) }
      #expect(error.map { "\($0)" } == message)
    }
  }

  @Test func `an error in a manifest is reported with file, line and key`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(
      "abi: 1\nid: a\nname: A\ninputs: many\noutputs: 2\n", as: "a.yaml")
    let error = #expect(throws: ManifestError.self) { try workshop.library.find(path) }
    #expect(error?.description.hasPrefix("\(path):4: inputs: ") == true)
  }

  // MARK: - Preflights

  @Test func `a plugin that passes its test is loaded`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"])
    let plugins = try ["outboard.gain", "outboard.reverb", "mixer"].map {
      try workshop.library.find($0)
    }
    try workshop.library.preflight(plugins)
  }

  @Test func `a module that crashes in create ends only its test process`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(
      """
      #include <stdint.h>
      #include <stddef.h>
      void *create(double rate, uint32_t frames) { (void)rate; (void)frames; __builtin_trap(); }
      void process(void *s, const float *const *i, float *const *o, const float *p, uint32_t n) {
        (void)s; (void)i; (void)o; (void)p; (void)n;
      }
      """, as: "crasher.c")
    let plugin = try workshop.library.find("\(workshop.path)/crasher.c")
    let error = #expect(throws: PluginLibraryError.self) {
      try workshop.library.preflight([plugin])
    }
    let message = try #require(error?.description)
    #expect(message.hasPrefix("crasher "))
    #expect(message.contains(" while it was created (in "))
    #expect(message.contains("/crasher.c:3, "), "\(message)")
  }

  @Test func `a module that declines reports its own reason`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(
      """
      void *create(double rate, unsigned frames) { (void)rate; (void)frames; return 0; }
      void process(void *s, const float *const *i, float *const *o, const float *p, unsigned n) {
        (void)s; (void)i; (void)o; (void)p; (void)n;
      }
      """, as: "shy.c")
    let plugin = try workshop.library.find("\(workshop.path)/shy.c")
    #expect(
      workshop.library.preflightError(of: plugin)
        == "shy: `create` returned NULL at 48000 Hz with blocks of up to 512 frames. If it needs a certain"
        + " rate or block length, declare that in its manifest, e.g. `rate: 48000` or"
        + " `block: {fixed: 480}`. The manifest is the comment that starts with `// outboard:`.")
  }

  // MARK: - Nodes

  @Test func `nodes of every kind are created, set and activated`() throws {
    let bundles = RigTestEnvironment.hasBundle("eg-amp.lv2") ? ["eg-amp.lv2"] : []
    let workshop = try RigTestEnvironment(modules: ["gain"], bundles: bundles)
    let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    let rig = try workshop.rig(
      """
      nodes:
        level: {plugin: outboard.gain, parameters: {gain: -20}}
        desk: {builtin: mixer, channels: 4}
        \(bundles.isEmpty ? "" : "amp: {plugin: 'http://lv2plug.in/plugins/eg-amp', instances: 2}")
      connections: [in -> level -> out, in -> desk:3-4]
      """)
    let plan = try RigPlan(
      rig, plugins: workshop.library.find(nodesOf: rig), inputChannelCount: 2, outputChannelCount: 2
    )
    let built = try RigBuilder.build(plan, configuration, makeNode: workshop.library.makeNode)
    #expect(built.members.map(\.nodes.count) == [1, 1] + bundles.map { _ in 2 })
    #expect(built.members[0].nodes[0].parameter(0) == -20)
    #expect(
      built.graph.nodes.map(\.name) == ["level", "desk"]
        + bundles.flatMap { _ in ["amp/1", "amp/2"] })
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 2, outputChannelCount: 2, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false))
    engine.install(try GraphCompiler.compile(built.graph, for: engine))
    for frame in 0 ..< 64 { engine.pointer.pointee.inputs[0][frame] = 1 }
    renderBlock(engine.pointer, 64)
    #expect(abs(engine.pointer.pointee.outputs[0][63] - 0.1) < 1e-4)
    #expect(engine.pointer.pointee.outputs[1][63] == 0)
  }

  @Test(.enabled(if: RigTestEnvironment.hasBundle("eg-amp.lv2"), "lv2-examples are not installed"))
  func `an LV2 plugin starts with the given description's values`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-amp.lv2"])
    var plugin = try workshop.library.find("http://lv2plug.in/plugins/eg-amp")
    #expect(plugin.parameters[0].defaultValue == 0)
    plugin.parameters[0].defaultValue = -20
    let node = try workshop.library.makeNode(
      plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    #expect(node.parameter(0) == -20)
  }

  @Test func `a built-in that no longer exists is reported by name`() throws {
    let library = try RigTestEnvironment().library
    let lost = PluginDescription(kind: .builtin, identifier: "theremin", name: "Theremin")
    let error = #expect(throws: PluginLibraryError.self) {
      try library.makeNode(lost, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    }
    #expect(
      error?.description == "Theremin is no longer installed. Run `outboard list` to see all"
        + " plugins.")
  }

  @Test func `the presets of a module are those of its manifest`() throws {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find("outboard.gain")
    #expect(try workshop.library.presets(of: plugin).map(\.name) == plugin.presets.map(\.name))
    #expect(!plugin.presets.isEmpty)
    #expect(try workshop.library.presets(of: workshop.library.find("mixer")) == [])
  }
}
