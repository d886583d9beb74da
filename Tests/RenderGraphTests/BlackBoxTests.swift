// BlackBoxTests.swift: the last seconds of the output. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

@Suite struct BlackBoxTests {
  /// A signal whose frames do not repeat within the recorded time.
  private func signal(_ frame: Int) -> Float { Float(frame % 4_099) / 4_099 }

  @Test(arguments: [1, 64, 100, 4_999, 5_000, 123_456])
  func `the last frames are kept for any block length`(frameCount: Int) throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let half = graph.add(SumNode(inputs: 1, outputs: 1, gain: 0.5), named: "half")
    try graph.connect(.input(channel: 0), to: .node(half, channel: 0))
    try graph.connect(.node(half, channel: 0), to: .output(channel: 1))
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 2, maximumFrameCount: 100, sampleRateHz: 1_000,
        startsFadedOut: false, guardsNodes: true, rememberedSeconds: 4))
    let editor = try GraphEditor(graph, engine)
    editor.measuresNodes = true
    var done = 0
    while done < frameCount {
      let count = min(frameCount - done, 1 + done % 100)
      for frame in 0 ..< count {
        engine.pointer.pointee.inputs[0][frame] = signal(done + frame)
      }
      renderBlock(engine.pointer, count)
      done += count
    }
    let snapshot = try #require(engine.takeSnapshot())
    let kept = min(frameCount, 4_000)
    let first = frameCount - kept
    let isAudible = snapshot.inputs == [(first ..< frameCount).map(signal)]
    let isSilent = snapshot.outputs[0] == [Float](repeating: 0, count: kept)
    let isPlayed = snapshot.outputs[1] == (first ..< frameCount).map { signal($0) / 2 }
    #expect(isAudible && isSilent && isPlayed)
    #expect(!snapshot.blocks.isEmpty && snapshot.messages.isEmpty)
    var next = snapshot.blocks[0].frame
    for block in snapshot.blocks {
      #expect(block.frame == next && 1 ... 100 ~= block.frameCount && block.nanoseconds > 0)
      let slowest = try #require(block.slowest)
      #expect(slowest.node == BlackBoxSnapshot.NodeAddress(editor.contexts[0].context))
      #expect(slowest.nanoseconds <= block.nanoseconds)
      next += block.frameCount
    }
    #expect(next == kept)
  }

  @Test func `no frame is kept if the black box is off`() {
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: 64, sampleRateHz: 48_000,
        startsFadedOut: false))
    #expect(engine.takeSnapshot() == nil)
  }
}
