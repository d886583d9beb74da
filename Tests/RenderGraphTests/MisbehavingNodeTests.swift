// MisbehavingNodeTests.swift: nodes that disturb others, or have undeclared output. SPDX-License-Identifier: MIT

import CRealtime
import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

@Suite struct MisbehavingNodeTests {
  private let silence: (Int, Int) -> Float = { _, _ in 0 }

  // MARK: - Removed nodes

  @Test func `a known generator fades out when it is removed`() throws {
    let hum = MisbehavingNode(.sounds(0.5))
    hum.generatesAudio = true
    let scene = try GraphTestBench(chain([hum]))
    scene.render(4_800, silence)
    try scene.editor.edit(to: chain([]))
    scene.render(2_400 + 4_800, silence)
    // The fade has 2,400 frames.
    #expect(scene.output[0].dropFirst(4_800 + 2_400 + 64).allSatisfy { $0 == 0 })
    let isSettled = scene.settle(silence)
    #expect(isSettled)
    #expect(scene.unused.first === hum)
  }

  @Test func `an undeclared generator is detected`() throws {
    let hum = MisbehavingNode(.sounds(0.5))
    let scene = try GraphTestBench(chain([hum]))
    scene.render(4_800, silence)
    try scene.editor.edit(to: chain([]))
    let isSettled = scene.settle(within: 96_000, silence)
    #expect(isSettled)
    #expect(scene.output[0].last == 0)
    #expect(scene.unused.first === hum)
  }

  @Test func `a replaced node has no tail, also during a fade`() throws {
    let first = EchoNode(frames: 4_800, feedback: 0.9)
    let second = EchoNode(frames: 4_800, feedback: 0.9)
    let scene = try GraphTestBench(chain([first]))
    scene.render(9_600) { _, _ in 0.5 }
    try scene.editor.edit(to: chain([second]), replacing: [first])
    scene.render(64, silence)
    try scene.editor.edit(to: chain([]), replacing: [second])
    scene.render(24_000, silence)
    #expect(scene.output[0].last == 0)
    let isSettled = scene.settle(silence)
    #expect(isSettled)
  }

  @Test func `a tail that decays slowly is played to its end`() throws {
    // 4 dB a second.
    let echo = EchoNode(frames: 4_800, feedback: 0.955)
    let scene = try GraphTestBench(chain([echo]))
    scene.render(4_800) { _, _ in 0.5 }
    try scene.editor.edit(to: chain([]))
    scene.render(48_000 * 8, silence)
    let late = scene.output[0].suffix(4_800).map(abs).max() ?? 0
    #expect(late > 0.008 && late < 0.02)
  }

  @Test func `held notes of a removed node are ended`() throws {
    let synth = EventNode(takes: true, sends: false, audioInputs: 1)
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let id = graph.add(synth, named: "synth")
    try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    try graph.connectEvents(.input, to: .node(id))
    let scene = try GraphTestBench(graph)
    scene.render(640, silence)
    try scene.editor.edit(to: chain([]))
    scene.render(640, silence)
    #expect(synth.arrivals.map(\.bytes).contains([0xB3, 123, 0]))
  }

  // MARK: - Disturbed nodes

  /// Connects one input through a node and a rude node to the first output, and through a sibling to
  /// the second.
  private func branches(_ node: any Node, siblingReads: Graph.Source?) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let first = graph.add(SumNode(inputs: 1, outputs: 1), named: "first")
    let rude = graph.add(node, named: "rude")
    let sibling = graph.add(SumNode(inputs: 1, outputs: 1), named: "sibling")
    try graph.connect(.input(channel: 0), to: .node(first, channel: 0))
    try graph.connect(.node(first, channel: 0), to: .node(rude, channel: 0))
    if let siblingReads { try graph.connect(siblingReads, to: .node(sibling, channel: 0)) }
    try graph.connect(.node(rude, channel: 0), to: .output(channel: 0))
    try graph.connect(.node(sibling, channel: 0), to: .output(channel: 1))
    return graph
  }

  @Test(arguments: [false, true])
  func `a plugin that writes to its input gets a copy`(isSwapped: Bool) throws {
    let rude = MisbehavingNode(.writesInput)
    rude.mayWriteInputs = true
    let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64)
    let scene = try GraphTestBench(
      branches(
        isSwapped ? HotSwapNode(rude, configuration) : rude,
        siblingReads: .node(Graph.NodeID(index: 0), channel: 0)))
    scene.render(640) { _, frame in Float(frame) }
    let whole = (0 ..< 640).map(Float.init)
    #expect(scene.output[0] == whole)
    #expect(scene.output[1] == whole)
  }

  @Test func `silence stays silent if a plugin writes to it`() throws {
    let rude = MisbehavingNode(.writesOne)
    rude.mayWriteInputs = true
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let writer = graph.add(rude, named: "rude")
    let sibling = graph.add(SumNode(inputs: 1, outputs: 1), named: "sibling")
    try graph.connect(.node(writer, channel: 0), to: .output(channel: 0))
    try graph.connect(.node(sibling, channel: 0), to: .output(channel: 1))
    let scene = try GraphTestBench(graph)
    scene.render(640, silence)
    let quiet = [Float](repeating: 0, count: 640)
    #expect(scene.output[0] == quiet && scene.output[1] == quiet)
  }

  @Test(arguments: [
    (siblingReads: Graph.Source.node(Graph.NodeID(index: 0), channel: 0), copies: 1),
    (siblingReads: nil, copies: 0),
  ])
  func `a plugin gets a copy only of an input with other readers`(
    siblingReads: Graph.Source?, copies: Int
  ) throws {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 2, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false))
    let rude = MisbehavingNode(.writesInput)
    let before = try GraphCompiler.compile(branches(rude, siblingReads: siblingReads), for: engine)
      .listing.count
    rude.mayWriteInputs = true
    let after = try GraphCompiler.compile(branches(rude, siblingReads: siblingReads), for: engine)
    #expect(after.listing.count == before + copies)
  }

  @Test func `a node that changes the rounding mode does not affect the next one, and is reported`()
    throws
  {
    func sound(_ first: any Node, _ isGuarded: Bool) throws -> [UInt32] {
      let scene = try GraphTestBench(
        chain([first, SumNode(inputs: 1, outputs: 1, gain: 0.3)]), guardsNodes: isGuarded)
      scene.render(6_400) { _, frame in Float(frame) / 7_000 }
      return scene.output[0].map(\.bitPattern)
    }
    for isGuarded in [false, true] {
      let rude = MisbehavingNode(.rounds)
      let disturbed = try sound(rude, isGuarded)
      #expect(try sound(SumNode(inputs: 1, outputs: 1), isGuarded) == disturbed)
      let isKnown = crealtime_take_mode_change(rude.step.context)
      #expect(isKnown)
    }
  }
}
