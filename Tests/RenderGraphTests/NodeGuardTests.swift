// NodeGuardTests.swift: nodes with invalid output. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

@Suite struct NodeGuardTests {
  /// The sum of a node and another one without faults.
  private func graph(_ node: SumNode, _ other: SumNode, after: SumNode? = nil) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let (id, well) = (graph.add(node, named: "ill"), graph.add(other, named: "well"))
    try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
    try graph.connect(.input(channel: 0), to: .node(well, channel: 0))
    if let after {
      let last = graph.add(after, named: "after")
      try graph.connect(.node(id, channel: 0), to: .node(last, channel: 0))
      try graph.connect(.node(last, channel: 0), to: .output(channel: 0))
    } else {
      try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    }
    try graph.connect(.node(well, channel: 0), to: .output(channel: 1))
    return graph
  }

  private func one(_ channel: Int, _ frame: Int) -> Float { 1 }

  @Test(arguments: [
    (Float.nan, NodeFault.invalidSamples), (.infinity, .invalidSamples), (2_000, .runaway),
  ])
  func `invalid samples are never played, and their node is bypassed`(
    gain: Float, fault: NodeFault
  ) throws {
    let node = SumNode(inputs: 1, outputs: 1, gain: 0.5)
    let well = SumNode(inputs: 1, outputs: 1, gain: 0.25)
    let scene = try GraphTestBench(graph(node, well), guardsNodes: true)
    scene.render(640, one)
    node.setParameter(0, to: gain)
    scene.render(1_280, one)
    let isSound = scene.output[0].allSatisfy { $0.isFinite && abs($0) <= 1 }
    #expect(isSound)
    #expect(scene.output[0].last == 1)
    // The other branch is not changed.
    let isUntouched = scene.output[1].allSatisfy { $0 == 0.25 }
    #expect(isUntouched)
    let faults = scene.editor.takeFaults()
    #expect(faults.count == 1 && faults.first?.node === node && faults.first?.fault == fault)
    #expect(scene.editor.takeFaults().isEmpty)
    // The node is not checked again, although it may have recovered.
    node.setParameter(0, to: 0.5)
    try scene.editor.edit(to: graph(node, well, after: SumNode(inputs: 1, outputs: 1)))
    let isSettled = scene.settle(one)
    #expect(isSettled)
    #expect(scene.output[0].last == 1)
  }

  @Test func `a replacement of a bypassed node is played`() throws {
    let (node, well) = (SumNode(inputs: 1, outputs: 1, gain: .nan), SumNode(inputs: 1, outputs: 1))
    let scene = try GraphTestBench(graph(node, well), guardsNodes: true)
    scene.render(6_400, one)
    #expect(scene.editor.takeFaults().count == 1)
    try scene.editor.edit(to: graph(SumNode(inputs: 1, outputs: 1, gain: 0.5), well))
    let isSettled = scene.settle(within: 480_000, one)
    #expect(isSettled)
    #expect(scene.output[0].last == 0.5)
    let isSound = scene.output[0].allSatisfy(\.isFinite)
    #expect(isSound)
  }

  @Test func `a fault in a branch without output is found later`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let muted = SumNode(inputs: 1, outputs: 1, gain: .nan)
    for index in 0 ..< 20 {
      let node = index == 13 ? muted : SumNode(inputs: 1, outputs: 1)
      let id = graph.add(node, named: "n\(index)")
      try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
    }
    try graph.connect(.input(channel: 0), to: .output(channel: 0))
    let scene = try GraphTestBench(graph, guardsNodes: true)
    scene.render(21 * 64, one)
    let faults = scene.editor.takeFaults()
    #expect(faults.count == 1 && faults.first?.node === muted)
    let isPassedOn = scene.output[0].allSatisfy { $0 == 1 }
    #expect(isPassedOn)
  }

  @Test func `without a guard every sample passes`() throws {
    let node = SumNode(inputs: 1, outputs: 1, gain: .nan)
    let scene = try GraphTestBench(graph(node, SumNode(inputs: 1, outputs: 1)))
    scene.render(640, one)
    let isPassedOn = scene.output[0].allSatisfy(\.isNaN)
    #expect(isPassedOn)
    #expect(scene.editor.takeFaults().isEmpty)
  }
}
