// ModuleExportTests.swift: a module compared with its export. SPDX-License-Identifier: MIT

import FixtureSupport
import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import LV2Export
@testable import PluginLoading

@Suite struct ModuleExportTests {
  private static func configuration(_ block: Int, isConstant: Bool = false) -> NodeConfiguration {
    NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: block, hasConstantBlocks: isConstant)
  }

  @Test(arguments: ["gain", "reverb", "delay", "limiter", "compressor", "gate", "parametric-eq"])
  func `an exported module gives the same samples, with any blocks`(name: String) throws {
    for blocks in [[256], [1, 7, 256, 33, 128]] {
      let pair = try ExportedPair(
        RigTestEnvironment(modules: [name]), name, Self.configuration(256))
      let same = try pair.agree(blocks: blocks, start: [0: -3], change: [0: 2.5, 1: 0.4])
      #expect(same)
    }
  }

  @Test(arguments: [[512], [100, 3]])
  func `an instrument plays the same notes at the same frames`(blocks: [Int]) throws {
    let pair = try ExportedPair(
      RigTestEnvironment(modules: ["organ"]), "organ", Self.configuration(512))
    let same = try pair.agree(
      blocks: blocks,
      notes: [
        0: [0x90, 60, 100], 777: [0x90, 64, 90], 3_000: [0x80, 60, 0], 9_001: [0xb0, 123, 0],
      ])
    #expect(same)
  }

  @Test(arguments: [
    "", "block: {fixed: 480},", "block: {multiple_of: 64},", "block: {maximum: 50},",
  ])
  func `every message arrives at its frame, with any blocks`(block: String) throws {
    let text = try String(
      contentsOf: Fixture.sources.appending(path: "notes/module.c"), encoding: .utf8)
    let frames = [0, 1, 49, 50, 62, 63, 64, 99, 100, 479, 480, 511, 512, 999, 2_999]
    let notes = Dictionary(
      uniqueKeysWithValues: frames.enumerated().map { ($1, [0x90, UInt8($0 + 1), 100] as [UInt8]) })
    for blocks in [[512], [1, 63, 64, 333]] {
      let workshop = try RigTestEnvironment()
      let source = try workshop.write(
        "// outboard: {inputs: 0, outputs: 2, \(block) midi: true}\n" + text, as: "notes.c")
      let pair = try ExportedPair(workshop, source, Self.configuration(512))
      let same = try pair.agree(frames: 5_120, blocks: blocks, notes: notes)
      #expect(same, "\(blocks)")
    }
  }

  @Test
  func `a module with a fixed rate has the same output at that rate, and is refused at another`()
    throws
  {
    let text = try String(
      contentsOf: Fixture.sources.appending(path: "rate_bound/module.c"), encoding: .utf8)
    let workshop = try RigTestEnvironment()
    let source = try workshop.write(
      "// outboard: {inputs: 1, outputs: 1, rate: 48000, block: {fixed: 480}}\n" + text,
      as: "bound.c")
    let pair = try ExportedPair(workshop, source, Self.configuration(512))
    let same = try pair.agree(blocks: [512, 33])
    #expect(same)
    let slow = NodeConfiguration(sampleRateHz: 44_100, maximumFrameCount: 512)
    #expect(throws: (any Error).self) { try ExportedPair(workshop, source, slow) }
    let plugin = try workshop.library.find(source)
    #expect(try workshop.library.makeNode(plugin, slow).latencyFrames > 0)
    #expect(ModuleExport.rateNote(of: plugin)?.hasPrefix("bound works only at 48000 Hz.") == true)
  }

  /// A module that outputs its values and the length of its blocks.
  private static func showing(_ manifest: String) -> String {
    """
    // outboard: {inputs: 2, outputs: 2, \(manifest)}
    #include <stdint.h>
    void process(void *s, const float *const *in, float *const *out, const float *p, uint32_t n) {
      for (uint32_t i = 0; i < n; i++) {
        out[0][i] = in[0][i] + p[0];
        out[1][i] = in[1][i] + (float)n + p[1];
      }
    }
    """
  }

  private static let ramped = """
    parameters: [{symbol: a, name: A, minimum: -1, default: 0, maximum: 1, smoothing: 20 ms}, \
    {symbol: b, name: B, choices: [x, y, z]}]
    """

  @Test(arguments: [
    "", "block: {fixed: 480},", "block: {multiple_of: 64},", "block: {maximum: 50},",
  ])
  func `ramps, choices and blocks are the same`(block: String) throws {
    for (blocks, isConstant) in [
      ([960], true), ([512], true), ([1, 960, 77], false), ([64, 128], false),
    ] {
      let workshop = try RigTestEnvironment()
      let source = try workshop.write(Self.showing("\(block) \(Self.ramped)"), as: "shows.c")
      let pair = try ExportedPair(
        workshop, source, Self.configuration(blocks.max() ?? 0, isConstant: isConstant))
      // Neither 7 nor 1.4 is valid. A shorter last block would violate the declared block length.
      let same = try pair.agree(
        frames: 12 * blocks.reduce(0, +), blocks: blocks, start: [0: 7, 1: 1.4],
        change: [0: -0.3, 1: 2])
      #expect(same, "\(blocks)")
    }
  }

  @Test func `a module's state can be moved from one instance to another`() throws {
    let workshop = try RigTestEnvironment()
    let source = try String(
      contentsOf: Fixture.sources.appending(path: "keeper/module.c"), encoding: .utf8)
    let path = try workshop.write(
      "// outboard: {inputs: 0, outputs: 1}\n" + source, as: "keeper.c")
    let first = try ExportedPair(workshop, path, Self.configuration(64)).exported
    let second = try ExportedPair(workshop, path, Self.configuration(64)).exported
    try first.activate()
    #expect(render(first, frames: 64, blocks: [64])[0].last == 63)
    let directory = workshop.path + "/state"
    #expect(try (first as? any DirectoryStateNode)?.saveState(to: directory) == true)
    try (second as? any DirectoryStateNode)?.restoreState(from: directory)
    try second.activate()
    #expect(render(second, frames: 64, blocks: [64])[0].first == 64)
    first.deactivate()
    second.deactivate()
  }

  @Test func `instances of code with globals are independent`() throws {
    let workshop = try RigTestEnvironment()
    let source = try String(
      contentsOf: Fixture.sources.appending(path: "keeps_globals/module.c"), encoding: .utf8)
    let path = try workshop.write("// outboard: {inputs: 1, outputs: 1}\n" + source, as: "old.c")
    let nodes = try (0 ..< 2).map { _ in
      try ExportedPair(workshop, path, Self.configuration(8)).exported
    }
    for (index, node) in nodes.enumerated() {
      try node.activate()
      #expect(render(node, [[Float(index + 1)]], frames: 1, blocks: [1]) == [[0]])
    }
    for (index, node) in nodes.enumerated() {
      #expect(render(node, [[0]], frames: 1, blocks: [1]) == [[Float(index + 1)]])
      node.deactivate()
    }
  }

  @Test func `a readout becomes an output, and presets are found`() throws {
    let workshop = try RigTestEnvironment()
    let source = try String(
      contentsOf: Fixture.sources.appending(path: "measures/module.c"), encoding: .utf8)
    let manifest = """
      // outboard: {inputs: 1, outputs: 1, parameters: [{symbol: gain, name: Gain, minimum: 0, \
      default: 1, maximum: 2}], readouts: [{symbol: peak, name: Peak, minimum: 0, maximum: 1}, \
      {symbol: frames, name: Frames, minimum: 0, maximum: 100000}], \
      presets: [{name: Loud, parameters: {gain: 2}}]}

      """
    let path = try workshop.write(manifest + source, as: "measures.c")
    let node = try ExportedPair(workshop, path, Self.configuration(8)).exported
    try node.activate()
    _ = render(node, [[0.25, 0.5, 0.125]], frames: 3, blocks: [3])
    let readouts = try #require(node as? any ReadoutNode)
    #expect(readouts.readout(0) == 0.5)
    #expect(readouts.readout(1) == 3)
    node.deactivate()
  }

  @Test func `a module that is activated again starts without its old tail`() throws {
    let pair = try ExportedPair(
      RigTestEnvironment(modules: ["delay"]), "delay", Self.configuration(64))
    let silence = [[Float]](repeating: [Float](repeating: 0, count: 30_000), count: 2)
    let loud = silence.map { $0.map { _ in Float(0.5) } }
    try pair.exported.activate()
    _ = render(pair.exported, loud, frames: 30_000, blocks: [64])
    pair.exported.deactivate()
    try pair.exported.activate()
    let output = render(pair.exported, silence, frames: 30_000, blocks: [64])
    #expect(output.allSatisfy { $0.allSatisfy { $0 == 0 } })
    pair.exported.deactivate()
  }

  // MARK: - Existing files

  private func refusal(
    _ name: String, _ workshop: RigTestEnvironment, to directory: String = "out",
    uri: String? = nil,
    replaces: Bool = false
  ) throws -> ModuleExportError? {
    let plugin = try workshop.library.find(name)
    let shim = try RigTestEnvironment.product("liblv2-shim.so")
    return #expect(throws: ModuleExportError.self) {
      try ModuleExport.writeLV2(
        plugin, to: "\(workshop.path)/\(directory)", uri: uri, replaces: replaces, shim: shim)
    }
  }

  @Test func `a file that is not a module and a wrong URI are refused`() throws {
    let workshop = try RigTestEnvironment()
    #expect(try refusal("mixer", workshop) == .noModule(name: "Mixer", kind: .builtin))
    #expect(try refusal("gain", workshop, uri: "my gain") == .noURI(text: "my gain"))
    #expect(!FileManager.default.fileExists(atPath: workshop.path + "/out"))
  }

  @Test func `an existing bundle is replaced only on request, and other directories never`() throws
  {
    let workshop = try RigTestEnvironment()
    let plugin = try workshop.library.find("gain")
    let shim = try RigTestEnvironment.product("liblv2-shim.so")
    let directory = workshop.path + "/out"
    func export(replaces: Bool) throws {
      _ = try ModuleExport.writeLV2(
        plugin, to: directory, uri: "urn:test:gain", replaces: replaces, shim: shim)
    }
    try export(replaces: false)
    let place = directory + "/Gain.lv2"
    #expect(try refusal("gain", workshop) == .exists(path: place))
    try export(replaces: true)
    try workshop.write("mine", as: "out/Gain.lv2/preset.ttl")
    #expect(
      try refusal("gain", workshop, replaces: true)
        == .holdsMore(path: place, file: "preset.ttl"))
    try workshop.write("mine", as: "other/Gain.lv2/manifest.ttl")
    #expect(
      try refusal("gain", workshop, to: "other", replaces: true)
        == .foreign(path: workshop.path + "/other/Gain.lv2"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["Gain.lv2"])
  }

  @Test func `a file in place of the directory is reported, and no file remains`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write("", as: "out")
    guard case .notWritten(let path, _) = try refusal("gain", workshop) else {
      Issue.record("it was written")
      return
    }
    #expect(path == workshop.path + "/out/Gain.lv2")
  }
}
