// StateTests.swift: properties, states and presets of isolated nodes. SPDX-License-Identifier: MIT

import Foundation
import Glibc
import LV2Fixtures
import PluginLoading
import PluginModel
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@testable import Isolation

/// A module that counts its frames, outputs the count in millionths, and has it as its state.
let countingSource = """
  // outboard: inputs: 2, outputs: 2
  #include <stdlib.h>
  #include <string.h>
  void *create(double rate, unsigned longest) { return calloc(1, 4); }
  void destroy(void *state) { free(state); }
  unsigned save(void *state, void *bytes, unsigned size) {
    if (bytes && size >= 4) memcpy(bytes, state, 4);
    return 4;
  }
  int restore(void *state, const void *bytes, unsigned size) {
    if (size != 4) return 1;
    memcpy(state, bytes, 4);
    return 0;
  }
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    int *count = state;
    for (unsigned i = 0; i < n; i++, ++*count) out[0][i] = out[1][i] = *count * 1e-6f;
  }
  """

@Suite struct `The state of an isolated node` {
  private func node(
    _ workshop: RigTestEnvironment, _ plugin: String, _ isolation: NodeIsolation
  ) throws -> any Node {
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
    configuration.isolation = isolation
    let node = try workshop.library.makeNode(try workshop.library.find(plugin), configuration)
    try node.activate()
    return node
  }

  @Test func `passes between processes as bytes`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(countingSource, as: "counting.c")
    let inside = try node(workshop, path, .off)
    let isolated = try node(workshop, path, .own)
    #expect(inside.capabilities.state?.save() == [0, 0, 0, 0])
    try isolated.capabilities.state?.restore([1, 2, 3, 0])
    let bytes = try #require(isolated.capabilities.state?.save())
    #expect(bytes == [1, 2, 3, 0])
    try inside.capabilities.state?.restore(bytes)
    #expect(inside.capabilities.state?.save() == bytes)
    #expect(throws: (any Error).self) { try isolated.capabilities.state?.restore([1, 2, 3]) }
  }

  @Test func `is not waited for while the plugin takes long to save it`() throws {
    let workshop = try RigTestEnvironment()
    let (order, mark) = (workshop.path + "/hang", workshop.path + "/hanging")
    let source = countingSource.replacingOccurrences(
      of: "unsigned size) {\n  if (bytes",
      with: """
        unsigned size) {
          if (access("\(order)", F_OK) == 0) { close(creat("\(mark)", 0600)); for (;;) pause(); }
          if (bytes
        """)
    let includes = "#include <fcntl.h>\n#include <unistd.h>\n"
    let path = try workshop.write(
      source.replacingOccurrences(
        of: "#include <stdlib.h>", with: includes + "#include <stdlib.h>"),
      as: "counting.c")
    let rig = try workshop.rig(
      "nodes: {a: {plugin: \"\(path)\"}}\nconnections: [in -> a -> out]")
    let player = try IsolatedRig.ready {
      try? FileManager.default.removeItem(atPath: order)
      try? FileManager.default.removeItem(atPath: mark)
      let player = try IsolatedRig(rig, workshop.library, .own, isOffline: false)
      try workshop.write("", as: "hang")
      return player
    } when: { player in
      player.render(256)
      return FileManager.default.fileExists(atPath: mark)
    }
    let node = try #require(player.isolated.first)
    for _ in 0 ..< 3 {
      // A status that is not recent is requested again.
      usleep(60_000)
      _ = node.latencyFrames
    }
    // A request that waits for its reply would have ended the process after its time limit.
    #expect(!node.worker.hasEnded)
  }

  @Test func `passes between processes as a directory, with properties and their files`() throws {
    let workshop = try RigTestEnvironment(bundles: ["eg-sampler.lv2"])
    let uri = "http://lv2plug.in/plugins/eg-sampler"
    let sample = try workshop.write("no sound", as: "sample.wav")
    let isolated = try node(workshop, uri, .own)
    let properties = try #require(isolated.capabilities.properties)
    let plugin = try workshop.library.find(uri)
    let index = try #require(plugin.properties.firstIndex { $0.type == .path })
    try properties.setProperty(index, to: .path(sample))
    #expect(properties.property(index) == .path(sample))
    #expect(throws: PropertyError.self) { try properties.setProperty(index, to: .bool(true)) }
    let directory = workshop.path + "/state"
    let hasState = try #require(isolated.capabilities.directoryState).saveState(to: directory)
    guard hasState else { return }
    let inside = try node(workshop, uri, .off)
    try inside.capabilities.directoryState?.restoreState(from: directory)
    let other = workshop.path + "/other"
    #expect(try inside.capabilities.directoryState?.saveState(to: other) == true)
    try isolated.capabilities.directoryState?.restoreState(from: other)
  }

  @Test func `is loaded from presets, with parameters`() throws {
    let workshop = try RigTestEnvironment(modules: ["reverb"])
    let plugin = try workshop.library.find("outboard.reverb")
    let preset = try #require(try workshop.library.presets(of: plugin).last)
    let nodes = try [NodeIsolation.off, .own].map {
      try node(workshop, "outboard.reverb", $0)
    }
    for node in nodes { try node.capabilities.presets?.load(preset) }
    let values = nodes.map { node in plugin.parameters.indices.map(node.parameter) }
    #expect(values[0] == values[1])
    #expect(values[0] != plugin.parameters.map(\.defaultValue))
  }

  @Test func `is saved as a preset from a sandbox`() throws {
    let workshop = try RigTestEnvironment(bundles: ["mda.lv2"])
    let plugin = try workshop.library.find("http://drobilla.net/plugins/mda/Ambience")
    var configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: 64, isOffline: true)
    let inside = try workshop.library.makeNode(plugin, configuration)
    (configuration.isolation, configuration.sandbox) = (.own, NodeSandbox())
    let node = try workshop.library.makeNode(plugin, configuration)
    let place = workshop.path + "/presets/dark.preset.lv2"
    node.setParameter(0, to: 0.25)
    let presets = try #require(node.capabilities.presets)
    try presets.savePreset(named: "Dark", inBank: nil, to: place, replacing: false)
    #expect(throws: IsolationError.notCopied(name: plugin.name, path: place, code: EEXIST)) {
      try presets.savePreset(named: "Dark", inBank: nil, to: place, replacing: false)
    }
    try presets.savePreset(named: "Dark", inBank: nil, to: place, replacing: true)
    let facts = try FileManager.default.attributesOfItem(atPath: place)
    #expect(facts[.posixPermissions] as? Int == 0o755)
    let preset = PluginPreset(
      identifier: URL(fileURLWithPath: place + "/preset.ttl").absoluteString, name: "Dark",
      location: place)
    try inside.capabilities.presets?.load(preset)
    #expect(inside.parameter(0) == 0.25)
  }

  @Test func `is removed by the next host if its host was killed`() throws {
    let parent = FileManager.default.temporaryDirectory.path + "/outboard-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: parent) }
    func directory(_ name: String, age: Double) throws -> String {
      let path = "\(parent)/\(name)"
      try FileManager.default.createDirectory(
        atPath: path + "/newer", withIntermediateDirectories: true)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: path)
      return path
    }
    let abandoned = try directory("outboard-kept-state-abandoned", age: 60)
    let used = try directory("outboard-kept-state-used", age: 60)
    let new = try directory("outboard-kept-state-new", age: 0)
    // That of a validation in another process.
    let other = try directory("outboard-state-other", age: 60)
    let lock = open(used, O_RDONLY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    KeptState.removeAbandoned(in: parent)
    #expect(!FileManager.default.fileExists(atPath: abandoned))
    for path in [used, new, other] { #expect(FileManager.default.fileExists(atPath: path)) }
  }
}
