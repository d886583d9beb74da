// LV2VoltageTests.swift: control voltage to and from LV2 plugins. SPDX-License-Identifier: MIT

import LV2Fixtures
import LV2Host
import PluginModel
import RealtimeKit
import RenderGraph
import Testing

@Suite struct `LV2 control voltage` {
  /// Two of the fixture in series, without connections.
  private func withGraph(
    _ connect: (inout Graph, Graph.NodeID, Graph.NodeID) throws -> Void,
    _ check: ([Float], LV2Node) throws -> Void
  ) throws {
    let directory = try BundleDirectory(["voltage"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:voltage", inBundle: directory.bundle("voltage"))
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false))
    let nodes = try (0 ..< 2).map { _ in
      let node = try LV2Node(
        plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
      try node.activate()
      return node
    }
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let first = graph.add(nodes[0], named: "first")
    let second = graph.add(nodes[1], named: "second")
    try connect(&graph, first, second)
    engine.install(try GraphCompiler.compile(graph, for: engine))
    for frame in 0 ..< 64 { engine.pointer.pointee.inputs[0][frame] = 1 }
    renderBlock(engine.pointer, 64)
    try check((0 ..< 64).map { engine.pointer.pointee.outputs[0][$0] }, nodes[1])
    withExtendedLifetime(directory) {}
  }

  @Test func `voltage is described separately from audio, with the value of an unconnected input`()
    throws
  {
    let directory = try BundleDirectory(["voltage"])
    let plugin = try LV2Scanner.plugin(
      "urn:outboard:test:voltage", inBundle: directory.bundle("voltage"))
    #expect(plugin.description.audioInputs == [AudioPort(symbol: "in", name: "In")])
    #expect(plugin.description.audioOutputs == [AudioPort(symbol: "out", name: "Out")])
    #expect(
      plugin.description.cvInputs == [
        AudioPort(symbol: "pitch", name: "Pitch", restValue: 0.25),
        AudioPort(symbol: "accent", name: "Accent", restValue: 3),
      ])
    #expect(plugin.description.cvOutputs == [AudioPort(symbol: "level", name: "Level")])
    withExtendedLifetime(directory) {}
  }

  @Test func `an unconnected input has its default, or no buffer if it is optional`() throws {
    try withGraph { graph, _, second in
      try graph.connect(.input(channel: 0), to: .node(second, channel: 0))
      try graph.connect(.node(second, channel: 0), to: .output(channel: 0))
    } _: { output, node in
      #expect(output == [Float](repeating: 1.25, count: 64))
      #expect(node.readout(0) == 1)
    }
  }

  @Test func `voltage is sent from node to node, and several are summed`() throws {
    try withGraph { graph, first, second in
      try graph.connect(.input(channel: 0), to: .node(first, channel: 0))
      try graph.connect(.input(channel: 0), to: .node(second, channel: 0))
      // Twice the input, and the input itself: a voltage and audio.
      try graph.connect(.node(first, channel: 1), to: .node(second, channel: 1))
      try graph.connect(.input(channel: 0), to: .node(second, channel: 1), gain: 0.5)
      try graph.connect(.node(first, channel: 1), to: .node(second, channel: 2), gain: 10)
      try graph.connect(.node(second, channel: 0), to: .output(channel: 0))
    } _: { output, node in
      #expect(output == [Float](repeating: 1 + 2.5 + 20, count: 64))
      #expect(node.readout(0) == 0)
    }
  }

  @Test func `a connection with a gain of zero is silence, and not the default`() throws {
    try withGraph { graph, _, second in
      try graph.connect(.input(channel: 0), to: .node(second, channel: 1), gain: 0)
      try graph.connect(.node(second, channel: 0), to: .output(channel: 0))
    } _: { output, _ in
      #expect(output == [Float](repeating: 0, count: 64))
    }
  }
}
