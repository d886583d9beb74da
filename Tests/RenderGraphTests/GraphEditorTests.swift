// GraphEditorTests.swift: edits of a graph during rendering. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

/// A tone of 440 Hz at half of full scale, the same on every channel.
private func tone(_ channel: Int, _ frame: Int) -> Float {
  Float(0.5 * sin(2 * Double.pi * 440 * Double(frame) / 48_000))
}

/// A signal that never repeats, and differs between channels.
private func noise(_ channel: Int, _ frame: Int) -> Float {
  var bits = UInt32(truncatingIfNeeded: frame &* 747_796_405 &+ channel &* 2_891_336_453 &+ 1)
  bits = (bits ^ (bits >> 15)) &* 0x2c1b_3c6d
  bits = (bits ^ (bits >> 12)) &* 0x297a_2d39
  return Float(Int32(bitPattern: bits ^ (bits >> 15))) / Float(Int32.max)
}

@Suite struct GraphEditorTests {
  @Test func `a gain reaches its new value exactly`() throws {
    let scene = try GraphTestBench(chain([], gain: 1))
    scene.render(640, { _, _ in 1 })
    try scene.editor.edit(to: chain([], gain: 0.25))
    let isSettled = scene.settle { _, _ in 1 }
    #expect(isSettled)
    let output = scene.output[0]
    #expect(output[0 ..< 640].allSatisfy { $0 == 1 })
    #expect(zip(output, output.dropFirst()).allSatisfy { $1 <= $0 && $0 - $1 < 0.001 })
    #expect(output.last == 0.25)
    #expect(output[640 + 2_400 + 64] == 0.25)
  }

  @Test func `nodes outside an edit play on bit for bit`() throws {
    let kept = SumNode(inputs: 1, outputs: 1, gain: 0.7, latency: 100)
    func graph(_ other: Float?) throws -> Graph {
      var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
      let id = graph.add(kept, named: "kept")
      try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
      try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
      if let other {
        let more = graph.add(SumNode(inputs: 1, outputs: 1, gain: other), named: "other")
        try graph.connect(.input(channel: 1), to: .node(more, channel: 0))
        try graph.connect(.node(more, channel: 0), to: .output(channel: 1))
      }
      return graph
    }
    let edited = try GraphTestBench(graph(0.3))
    let left = try GraphTestBench(
      {
        let still = SumNode(inputs: 1, outputs: 1, gain: 0.7, latency: 100)
        return try chain([still])
      }())
    for gain: Float? in [0.5, nil, 2] {
      edited.render(1_000, noise)
      try edited.editor.edit(to: graph(gain))
      edited.render(9_000, noise)
    }
    left.render(30_000, noise)
    #expect(edited.output[0].map(\.bitPattern) == left.output[0].map(\.bitPattern))
  }

  @Test func `a node with delay is aligned with parallel branches without a click`() throws {
    func graph(_ node: (any Node)?) throws -> Graph {
      var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
      try graph.connect(.input(channel: 0), to: .output(channel: 0))
      guard let node else {
        try graph.connect(.input(channel: 0), to: .output(channel: 1))
        return graph
      }
      let id = graph.add(node, named: "late")
      try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
      try graph.connect(.node(id, channel: 0), to: .output(channel: 1))
      return graph
    }
    let scene = try GraphTestBench(graph(nil))
    scene.render(4_800, tone)
    try scene.editor.edit(to: graph(SumNode(inputs: 1, outputs: 1, latency: 1_000)))
    let start = scene.frameCount
    let isSettled = scene.settle(tone)
    #expect(isSettled)
    #expect(scene.editor.latencyFrames == 1_000)
    scene.render(4_800, tone)
    for channel in 0 ..< 2 {
      let last = scene.output[channel].suffix(2_000)
      let due = (0 ..< 2_000).map { tone(0, scene.frameCount - 2_000 + $0 - 1_000) }
      #expect(Array(last) == due)
      // The slope of a click of -60 dB would be ten times as steep.
      let corners = scene.output[channel].indices.dropFirst(2).map { frame in
        let y = scene.output[channel]
        return abs(y[frame] - 2 * y[frame - 1] + y[frame - 2])
      }
      #expect((corners[(start - 2)...].max() ?? 1) < 1.05 * (corners[..<(start - 2)].max() ?? 0))
    }
  }

  @Test func `a removed node's tail is played, and the node is returned when it is silent`() throws
  {
    let echo = EchoNode(frames: 9_600, feedback: 0.5)
    let scene = try GraphTestBench(chain([echo]))
    scene.render(9_600, tone)
    try scene.editor.edit(to: chain([]))
    scene.render(4_800, tone)
    #expect(scene.unused.isEmpty)
    let begun = scene.frameCount
    scene.render(96_000, { _, _ in 0 })
    // The echoes of 0.2 s halve each time.
    let first = scene.output[0][(begun + 100) ..< (begun + 9_700)].map(abs).max() ?? 0
    let second = scene.output[0][(begun + 9_700) ..< (begun + 19_300)].map(abs).max() ?? 0
    #expect(first > 0.2)
    #expect(abs(second - first / 2) < 0.01)
    let isSettled = scene.settle(within: 480_000) { _, _ in 0 }
    #expect(isSettled)
    #expect(scene.unused.count == 1 && scene.unused.first === echo)
  }

  @Test func `of two removed nodes with tails into each other, the silent one is returned first`()
    throws
  {
    // Only the first node feeds the second, which outputs nothing, so its tail ends earlier.
    let first = EchoNode(frames: 4_800, feedback: 0.9)
    let second = SumNode(inputs: 1, outputs: 1, gain: 0)
    let scene = try GraphTestBench(chain([first, second]))
    scene.render(9_600, tone)
    try scene.editor.edit(to: chain([]))
    let isSettled = scene.settle(within: 22 * 48_000) { _, _ in 0 }
    #expect(isSettled)
    #expect(scene.unused.count == 2 && scene.unused.first === second)
  }

  @Test func `a tail that never ends is faded out soon`() throws {
    let scene = try GraphTestBench(chain([EchoNode(frames: 4_800, feedback: 1)]))
    scene.render(9_600, tone)
    try scene.editor.edit(to: chain([]))
    let isSettled = scene.settle(within: 2 * 48_000) { _, _ in 0 }
    #expect(isSettled)
    #expect(scene.unused.count == 1)
    #expect(scene.output[0].last == 0)
  }

  @Test func `a generator is faded out when it is removed`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let source = graph.add(SumNode(inputs: 0, outputs: 1, gain: 0.5), named: "source")
    try graph.connect(.node(source, channel: 0), to: .output(channel: 0))
    let scene = try GraphTestBench(graph)
    scene.render(640, { _, _ in 0 })
    try scene.editor.edit(to: Graph(inputChannelCount: 1, outputChannelCount: 1))
    let isSettled = scene.settle(within: 9_600) { _, _ in 0 }
    #expect(isSettled)
    #expect(scene.output[0].last == 0 && scene.unused.count == 1)
  }

  @Test func `an edit during a fade waits for its end, and the newest edit is used`() throws {
    let scene = try GraphTestBench(chain([], gain: 1))
    let dropped = SumNode(inputs: 1, outputs: 1)
    scene.render(64, { _, _ in 1 })
    try scene.editor.edit(to: chain([], gain: 0.5))
    scene.render(64, { _, _ in 1 })
    try scene.editor.edit(to: chain([dropped], gain: 0.1))
    try scene.editor.edit(to: chain([], gain: 0.75))
    let isSettled = scene.settle { _, _ in 1 }
    #expect(isSettled)
    #expect(scene.output[0].last == 0.75)
    #expect(scene.unused.contains { $0 === dropped })
    #expect(!scene.output[0].contains { $0 < 0.49 })
  }

  @Test func `an edit that makes a loop with the active graph is refused and changes nothing`()
    throws
  {
    let (a, b) = (SumNode(inputs: 1, outputs: 1, gain: 2), SumNode(inputs: 1, outputs: 1, gain: 3))
    let scene = try GraphTestBench(chain([a, b]))
    scene.render(640, { _, _ in 1 })
    #expect(throws: GraphError.self) { try scene.editor.edit(to: chain([b, a])) }
    scene.render(640, { _, _ in 1 })
    #expect(scene.output[0].allSatisfy { $0 == 6 })
    // With other nodes in their positions it is a normal edit.
    try scene.editor.edit(to: chain([SumNode(inputs: 1, outputs: 1, gain: 3), a]))
    let isSettled = scene.settle(within: 480_000) { _, _ in 1 }
    #expect(isSettled)
    #expect(scene.output[0].last == 6)
  }

  @Test func `notes end when their keyboard is removed`() throws {
    let synth = EventNode(takes: true, sends: false)
    func graph(isPlayed: Bool) throws -> Graph {
      var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
      let id = graph.add(synth, named: "synth")
      try graph.connect(.node(id, channel: 0), to: .output(channel: 0))
      if isPlayed { try graph.connectEvents(.input, to: .node(id)) }
      return graph
    }
    let scene = try GraphTestBench(graph(isPlayed: true))
    scene.render(640, noise)
    try scene.editor.edit(to: graph(isPlayed: false))
    scene.render(640, noise)
    #expect(synth.arrivals.count == 32)
    #expect(synth.arrivals.allSatisfy { $0.frame == 640 })
    #expect(synth.arrivals.map(\.bytes).contains([0xB3, 123, 0]))
    #expect(synth.arrivals.map(\.bytes).contains([0xBF, 64, 0]))
  }
}
