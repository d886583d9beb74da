// FixedStepTests.swift: nodes that get their buffers only once. SPDX-License-Identifier: MIT

import CRealtime
import GraphTestSupport
import PluginModel
import RenderGraph
import Testing

/// Copies its input, and records its calls.
private final class CallLogNode: Node {
  struct State {
    var beginnings = 0
    var blocks = 0
    /// The address of its output buffer, as received.
    var output: UnsafeMutablePointer<Float>?
    /// Blocks in which the buffers were at other addresses.
    var strayBlocks = 0
  }

  let audioInputCount = 1
  let audioOutputCount = 1
  let latencyFrames = 0
  let canRunInPlace = false
  let state: UnsafeMutablePointer<State>

  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit { state.deallocate() }

  var step: NodeStep { NodeStep(function: notingStep, context: UnsafeMutableRawPointer(state)) }
  var fixedStep: PreboundNodeStep? { PreboundNodeStep(begin: notingBeginning, step: step) }
  func setParameter(_ index: Int, to value: Float) {}
  func parameter(_ index: Int) -> Float { 0 }
  func activate() throws {}
  func deactivate() {}
  func reset() {}
}

@c(test_noting_beginning)
private func notingBeginning(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: CallLogNode.State.self)
  state.pointee.beginnings += 1
  state.pointee.output = buffers[1]
}

@c(test_noting_step)
private func notingStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: CallLogNode.State.self)
  state.pointee.blocks += 1
  if buffers[1] != state.pointee.output { state.pointee.strayBlocks += 1 }
  crealtime_copy(buffers[1], buffers[0], frameCount)
}

struct FixedStepTests {
  private func graph(_ nodes: [any Node]) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var source = Graph.Source.input(channel: 0)
    for node in nodes {
      let id = graph.add(node, named: "n")
      try graph.connect(source, to: .node(id, channel: 0))
      source = .node(id, channel: 0)
    }
    try graph.connect(source, to: .output(channel: 0))
    return graph
  }

  @Test func `a node gets its buffers once for each render sequence`() throws {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: 16,
        sampleRateHz: 48_000, startsFadedOut: false))
    let node = CallLogNode()
    for blocks in 1 ... 3 {
      // With another node after it, it writes to another buffer.
      let others: [any Node] = blocks == 2 ? [SumNode(inputs: 1, outputs: 1)] : []
      engine.install(try GraphCompiler.compile(try graph([node] + others), for: engine))
      #expect(node.state.pointee.beginnings == blocks - 1)
      for _ in 0 ..< 2 { renderBlock(engine.pointer, 16) }
      engine.collectRetired()
      #expect(node.state.pointee.beginnings == blocks)
    }
    #expect(node.state.pointee.blocks == 6)
    #expect(node.state.pointee.strayBlocks == 0)
  }
}
