// ConnectionDelayTests.swift: loops with a delay. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

@Suite struct ConnectionDelayTests {
  /// in -> a -> out, and a feedback connection of a through a delay line, each with half the level.
  private func graph(_ line: ConnectionDelay) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let a = graph.add(SumNode(inputs: 1, outputs: 1), named: "a")
    let entrance = graph.add(line.entrance, named: "into")
    let exit = graph.add(line.exit, named: "after")
    try graph.connect(.input(channel: 0), to: .node(a, channel: 0))
    try graph.connect(.node(a, channel: 0), to: .node(entrance, channel: 0))
    try graph.connect(.node(exit, channel: 0), to: .node(a, channel: 0), gain: 0.5, delayFrames: 0)
    try graph.connect(.node(a, channel: 0), to: .output(channel: 0))
    return graph
  }

  private func render(_ lengths: [Int], delay: Int, frames: Int) throws -> [Float] {
    let longest = lengths.max() ?? 1
    let line = ConnectionDelay(
      ConnectionDelay.Key(node: "a", channel: 0, frameCount: delay), maximumFrameCount: longest)
    return try render(graph(line), lengths, frames: frames)
  }

  private func render(_ graph: Graph, _ lengths: [Int], frames: Int) throws -> [Float] {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: lengths.max() ?? 1,
        sampleRateHz: 48_000, startsFadedOut: false))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    var result: [Float] = []
    var turn = 0
    while result.count < frames {
      let count = min(lengths[turn % lengths.count], frames - result.count)
      turn += 1
      for frame in 0 ..< count {
        engine.pointer.pointee.inputs[0][frame] = result.count + frame == 3 ? 1 : 0
      }
      renderBlock(engine.pointer, count)
      for frame in 0 ..< count { result.append(engine.pointer.pointee.outputs[0][frame]) }
    }
    return result
  }

  @Test(arguments: [[64], [1], [64, 1, 17], [63, 2], [100]])
  func `a loop repeats after exactly its delay, with any blocks`(
    lengths: [Int]
  ) throws {
    let delay = 100
    var wanted = [Float](repeating: 0, count: 1_000)
    for (turn, frame) in stride(from: 3, to: 1_000, by: delay).enumerated() {
      wanted[frame] = Float(sign: .plus, exponent: -turn, significand: 1)
    }
    #expect(try render(lengths, delay: delay, frames: 1_000) == wanted)
  }

  @Test(arguments: [1, 2, 63, 64, 65, 144, 700], [[64], [1], [64, 1, 17], [63, 2]])
  func `a delay outside a loop has any number of frames, with any blocks`(
    delay: Int, lengths: [Int]
  ) throws {
    let line = ConnectionDelay(
      ConnectionDelay.Key(node: nil, channel: 0, frameCount: delay, closesLoop: false),
      maximumFrameCount: 64)
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let id = graph.add(line.exit, named: "delay")
    try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
    try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
    // Another path, with latency, which is added to the delay.
    let late = graph.add(SumNode(inputs: 1, outputs: 1, latency: 30), named: "late")
    try graph.connect(.input(channel: 0), to: .node(late, channel: 0))
    try graph.connect(.node(late, channel: 0), to: .output(channel: 0), gain: 0.5)
    var wanted = [Float](repeating: 0, count: 1_000)
    wanted[33] = 0.5
    wanted[33 + delay] += 1
    #expect(try render(graph, lengths, frames: 1_000) == wanted)
  }
}
