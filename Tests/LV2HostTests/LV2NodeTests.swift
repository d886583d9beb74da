// LV2NodeTests.swift: tests of LV2Node.swift and LV2RunState.swift. SPDX-License-Identifier: MIT

import LV2Fixtures
import LV2Host
import PluginModel
import Testing

@Suite struct `LV2 nodes` {
  private static let configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 256, isOffline: true)

  private func witness(
    _ configuration: NodeConfiguration = Self.configuration
  ) throws -> (LV2Node, BundleDirectory) {
    let directory = try BundleDirectory(["witness"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:witness", inBundle: directory.bundle("witness"))
    return (try LV2Node(plugin, configuration), directory)
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `a host that follows the rules is not reported by the test plugin`(rate: Double) throws {
    let (node, directory) = try witness(
      NodeConfiguration(sampleRateHz: rate, maximumFrameCount: 256, isOffline: false))
    try node.activate()
    let player = Player(node)
    for frameCount in [256, 1, 255, 64] { _ = player.play(frameCount) { _, _ in 0.5 } }
    #expect(node.readout(0) == 0)
    withExtendedLifetime(directory) {}
  }

  @Test func `a trigger lasts one run`() throws {
    let (node, directory) = try witness()
    try node.activate()
    let player = Player(node)
    node.setParameter(1, to: 1)
    for _ in 0 ..< 4 { _ = player.play(64) { _, _ in 0 } }
    #expect(node.readout(1) == 1)
    #expect(node.parameter(1) == 0)
    node.setParameter(1, to: 1)
    _ = player.play(64) { _, _ in 0 }
    #expect(node.readout(1) == 2)
    withExtendedLifetime(directory) {}
  }

  @Test func `a parameter takes effect in the next block`() throws {
    let (node, directory) = try witness()
    try node.activate()
    let player = Player(node)
    #expect(player.play(8) { _, _ in 1 }[0] == [Float](repeating: 0, count: 8))
    node.setParameter(0, to: 0.25)
    #expect(player.play(8) { _, _ in 1 }[0] == [Float](repeating: 0.25, count: 8))
    withExtendedLifetime(directory) {}
  }

  @Test func `a held parameter keeps its value while others are set, then takes the stored one`()
    throws
  {
    let (node, directory) = try witness()
    try node.activate()
    let player = Player(node)
    let hold = try #require(node.parameterInput?.hold)
    let context = try #require(node.parameterInput?.context)
    hold.function(context, 0, 0.5, true)
    node.setParameter(0, to: 0.25)
    #expect(player.play(8) { _, _ in 1 }[0] == [Float](repeating: 0.5, count: 8))
    #expect(hold.stored(context, 0) == 0.25)
    hold.function(context, 0, 0, false)
    #expect(player.play(8) { _, _ in 1 }[0] == [Float](repeating: 0.25, count: 8))
    hold.function(context, 99, 1, true)
    #expect(hold.stored(context, 99) == 0)
    withExtendedLifetime(directory) {}
  }

  @Test func `a value out of range is clamped to the nearest valid one`() throws {
    let (node, directory) = try witness()
    node.setParameter(0, to: 7)
    #expect(node.parameter(0) == 1)
    node.setParameter(0, to: .nan)
    #expect(node.parameter(0) == 0)
    withExtendedLifetime(directory) {}
  }

  @Test func `the latency is known once the node is active`() throws {
    let (node, directory) = try witness()
    #expect(node.latencyFrames == 0)
    try node.activate()
    #expect(node.latencyFrames == 17)
    withExtendedLifetime(directory) {}
  }

  @Test func `buffers may move between blocks`() throws {
    let (node, directory) = try witness()
    try node.activate()
    node.setParameter(0, to: 1)
    for value in [Float(0.1), 0.2, 0.3] {
      #expect(Player(node).play(16) { _, _ in value }[0] == [Float](repeating: value, count: 16))
    }
    withExtendedLifetime(directory) {}
  }

  @Test(arguments: [
    "missing_library", "undefined_symbol", "not_in_library", "required_feature",
    "needs_option", "unknown_port", "endless_buffer", "instantiate_null",
  ])
  func `an unusable plugin is refused with the reason`(name: String) throws {
    let directory = try BundleDirectory([name])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:\(name)", inBundle: directory.bundle(name))
    let error = #expect(throws: LV2Error.self) { try LV2Node(plugin, Self.configuration) }
    #expect(error?.description == (try directory.expectation(name)))
  }

  @Test(arguments: ["port_gap", "port_without_index"])
  func `port indexes with a gap are reported`(name: String) throws {
    let directory = try BundleDirectory([name])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:\(name)", inBundle: directory.bundle(name))
    let refusal = try #require(plugin.description.refusal)
    #expect(refusal.hasPrefix(try directory.expectation(name)), "\(refusal)")
  }

  @Test func `a plugin is not refused for features that are only hints`() throws {
    let directory = try BundleDirectory(["hint_features"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:hint_features", inBundle: directory.bundle("hint_features"))
    let node = try LV2Node(plugin, Self.configuration)
    try node.activate()
    #expect(Player(node).play(4) { _, frame in Float(frame) }[0] == [0, 1, 2, 3])
  }

  @Test func `a plugin that is not in the bundle is unknown`() throws {
    let directory = try BundleDirectory(["witness"])
    #expect(throws: LV2Error.unknownPlugin(uri: "urn:x:nowhere")) {
      try LV2Scanner.plugin("urn:x:nowhere", inBundle: directory.bundle("witness"))
    }
    #expect(
      "\(LV2Error.unknownPlugin(uri: "urn:x:nowhere"))"
        == "No such LV2 plugin: <urn:x:nowhere>. "
        + "Run `outboard list --kind lv2` to see all LV2 plugins.")
  }
}
