// GraphCompilerTests.swift: compiled render sequences and their output. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

/// Renders `input` (one array for each channel) in blocks of a given length.
func render(
  _ graph: Graph, _ input: [[Float]], blocks: Int = 64, maximum: Int = 64
) throws -> [[Float]] {
  let engine = Engine(
    Engine.Settings(
      inputChannelCount: graph.inputChannelCount, outputChannelCount: graph.outputChannelCount,
      maximumFrameCount: maximum, sampleRateHz: 48_000, startsFadedOut: false))
  engine.install(try GraphCompiler.compile(graph, for: engine))
  defer { withExtendedLifetime(engine) {} }
  let total = input.first?.count ?? 256
  var output = [[Float]](repeating: [], count: graph.outputChannelCount)
  var done = 0
  while done < total {
    let count = min(blocks, total - done)
    for channel in input.indices {
      for frame in 0 ..< count {
        engine.pointer.pointee.inputs[channel][frame] = input[channel][done + frame]
      }
    }
    renderBlock(engine.pointer, count)
    for channel in output.indices {
      for frame in 0 ..< count {
        output[channel].append(engine.pointer.pointee.outputs[channel][frame])
      }
    }
    done += count
  }
  return output
}

func ramp(_ count: Int, from start: Float = 1) -> [Float] {
  (0 ..< count).map { start + Float($0) }
}

@Suite struct GraphCompilerTests {
  @Test func `an empty graph copies every bit, NaN included`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    try graph.connect(.input(channel: 0), to: .output(channel: 0))
    let input: [Float] = [0, -0.0, .nan, .infinity, .leastNonzeroMagnitude, -1, 0.1, 3]
    let output = try render(graph, [input])
    #expect(output[0].map(\.bitPattern) == input.map(\.bitPattern))
  }

  @Test func `an output without a connection is silent`() throws {
    let graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    #expect(
      try render(graph, [ramp(100)])
        == [[Float]](repeating: .init(repeating: 0, count: 100), count: 2))
  }

  @Test func `several connections into one input are summed with their gains`() throws {
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 1)
    let node = graph.add(SumNode(inputs: 1, outputs: 1, gain: 2), named: "double")
    try graph.connect(.input(channel: 0), to: .node(node, channel: 0), gain: 0.5)
    try graph.connect(.input(channel: 1), to: .node(node, channel: 0), gain: -1)
    try graph.connect(.node(node, channel: 0), to: .output(channel: 0))
    let output = try render(graph, [ramp(200), ramp(200, from: 7)])
    #expect(output[0] == zip(ramp(200), ramp(200, from: 7)).map { 2 * (0.5 * $0 - $1) })
  }

  @Test func `a node that feeds only the output writes there without a copy`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let node = graph.add(SumNode(inputs: 1, outputs: 1), named: "one")
    try graph.connect(.input(channel: 0), to: .node(node, channel: 0))
    try graph.connect(.node(node, channel: 0), to: .output(channel: 0))
    #expect(try listing(graph) == ["one: in:1 -> out:1"])
  }

  @Test func `a long chain needs two buffers, and one if nodes run in place`() throws {
    #expect(try chain(of: 20, inPlace: false).bufferCount == 2)
    #expect(try chain(of: 20, inPlace: true).bufferCount == 1)
  }

  @Test(arguments: [false, true])
  func `a chain has the same output in place and not`(inPlace: Bool) throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var last = Graph.Source.input(channel: 0)
    for index in 0 ..< 5 {
      let node = graph.add(
        SumNode(inputs: 1, outputs: 1, gain: 3, inPlace: inPlace), named: "\(index)")
      try graph.connect(last, to: .node(node, channel: 0))
      last = .node(node, channel: 0)
    }
    try graph.connect(last, to: .output(channel: 0))
    // The side tap keeps an intermediate value alive beyond the step that would overwrite it.
    try graph.connect(.node(graph.nodes[1].id, channel: 0), to: .output(channel: 0))
    #expect(try render(graph, [ramp(99)])[0] == ramp(99).map { $0 * 243 + $0 * 9 })
  }

  @Test(arguments: [1, 7, 64])
  func `branches of different latency meet on the same frame`(blocks: Int) throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let late = graph.add(SumNode(inputs: 1, outputs: 1, latency: 37), named: "late")
    let later = graph.add(SumNode(inputs: 1, outputs: 1, latency: 80), named: "later")
    for node in [late, later] {
      try graph.connect(.input(channel: 0), to: .node(node, channel: 0))
      try graph.connect(.node(node, channel: 0), to: .output(channel: 0))
    }
    try graph.connect(.input(channel: 0), to: .output(channel: 0))
    try graph.connect(.input(channel: 0), to: .output(channel: 1))
    let engine = engine(for: graph)
    #expect(try GraphCompiler.compile(graph, for: engine).latencyFrames == 80)
    let output = try render(graph, [ramp(300)], blocks: blocks)
    #expect(output[0] == [Float](repeating: 0, count: 80) + ramp(220).map { $0 * 3 })
    #expect(output[1] == [Float](repeating: 0, count: 80) + ramp(220))
  }

  @Test func `a loop is refused with its nodes in signal order`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let ids = ["eq", "comp", "delay", "apart"].map {
      graph.add(SumNode(inputs: 2, outputs: 1), named: $0)
    }
    try graph.connect(.input(channel: 0), to: .node(ids[0], channel: 0))
    for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3)] {
      try graph.connect(.node(ids[from], channel: 0), to: .node(ids[to], channel: 1))
    }
    #expect(throws: GraphError.loop(nodes: ["eq", "comp", "delay"])) { try listing(graph) }
    #expect(
      GraphError.loop(nodes: ["eq", "comp", "delay"]).description
        == "The connections form a feedback loop: eq -> comp -> delay -> eq. Remove a"
        + " connection or add a delay.")
  }

  @Test func `a channel that does not exist is refused with the existing ones`() {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    let error = GraphError.noSuchChannel(end: "in", channel: 1, available: 1)
    #expect(throws: error) { try graph.connect(.input(channel: 1), to: .output(channel: 0)) }
    #expect(error.description == "Channel 2 of in does not exist. Available: 1 channel.")
  }

  @Test func `a replaced render sequence is used in the next block and freed by the main thread`()
    throws
  {
    var graph = Graph(inputChannelCount: 0, outputChannelCount: 1)
    let engine = engine(for: graph)
    weak var first: CompiledGraph?
    do {
      let compiled = try GraphCompiler.compile(graph, for: engine)
      first = compiled
      engine.install(compiled)
    }
    renderBlock(engine.pointer, 8)
    let node = graph.add(SumNode(inputs: 0, outputs: 1, gain: 5), named: "five")
    try graph.connect(.node(node, channel: 0), to: .output(channel: 0))
    engine.install(try GraphCompiler.compile(graph, for: engine))
    #expect(first != nil)
    renderBlock(engine.pointer, 8)
    #expect(engine.pointer.pointee.outputs[0][0] == 5)
    engine.collectRetired()
    #expect(first == nil)
  }

  @Test func `a render sequence of a thousand random connections equals plain arithmetic`() throws {
    var generator = SystemRandomNumberGenerator.seeded(7)
    for _ in 0 ..< 20 {
      try checkRandomGraph(&generator)
    }
  }

  @Test func `a repeated connection adds its gain to the first`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    for gain in [0.5, 0.25, 1] as [Float] {
      try graph.connect(.input(channel: 0), to: .output(channel: 0), gain: gain)
    }
    #expect(graph.connections.count == 1)
    #expect(graph.connections[0].gain == 1.75)
  }

  // MARK: - Helpers

  /// Nodes get gains that are powers of two, so that every sum is exact in any order.
  private func checkRandomGraph(_ generator: inout SplitMix64) throws {
    let nodeCount = Int.random(in: 1 ... 40, using: &generator)
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    var latencies: [Int] = []
    for index in 0 ..< nodeCount {
      let latency = Bool.random(using: &generator) ? 0 : Int.random(in: 1 ... 30, using: &generator)
      latencies.append(latency)
      _ = graph.add(
        SumNode(
          inputs: 1, outputs: 1, gain: 0.5, latency: latency,
          inPlace: Bool.random(using: &generator)), named: "n\(index)")
    }
    let ids = graph.nodes.map(\.id)
    var sources = [Graph.Source.input(channel: 0), .input(channel: 1)]
    // The sum of impulses of 1 (left) and 4 (right): every path is aligned, so amplitudes add up.
    var amount: [Double] = [1, 4]
    var arrival = [0, 0]
    for (index, id) in ids.enumerated() {
      let picks = Set((0 ... 3).map { _ in Int.random(in: 0 ..< sources.count, using: &generator) })
      for pick in picks { try graph.connect(sources[pick], to: .node(id, channel: 0)) }
      sources.append(.node(id, channel: 0))
      amount.append(picks.map { amount[$0] }.reduce(0, +) * 0.5)
      arrival.append((picks.map { arrival[$0] }.max() ?? 0) + latencies[index])
    }
    let picks = [sources.count - 1, Int.random(in: 0 ..< sources.count, using: &generator)]
    for (channel, pick) in picks.enumerated() {
      try graph.connect(sources[pick], to: .output(channel: channel))
    }
    var left = [Float](repeating: 0, count: 2_000)
    var right = left
    left[0] = 1
    right[0] = 4
    let output = try render(graph, [left, right], blocks: 13)
    let late = picks.map { arrival[$0] }.max() ?? 0
    for (channel, pick) in picks.enumerated() {
      var expected = [Float](repeating: 0, count: 2_000)
      expected[late] = Float(amount[pick])
      #expect(output[channel] == expected)
    }
  }

  private func engine(for graph: Graph) -> Engine {
    Engine(
      Engine.Settings(
        inputChannelCount: graph.inputChannelCount, outputChannelCount: graph.outputChannelCount,
        maximumFrameCount: 64, sampleRateHz: 48_000, startsFadedOut: false))
  }

  @discardableResult
  private func listing(_ graph: Graph) throws -> [String] {
    try GraphCompiler.compile(graph, for: engine(for: graph)).listing
  }

  private func chain(of count: Int, inPlace: Bool) throws -> CompiledGraph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var last = Graph.Source.input(channel: 0)
    for index in 0 ..< count {
      let node = graph.add(SumNode(inputs: 1, outputs: 1, inPlace: inPlace), named: "\(index)")
      try graph.connect(last, to: .node(node, channel: 0))
      last = .node(node, channel: 0)
    }
    try graph.connect(last, to: .output(channel: 0))
    return try GraphCompiler.compile(graph, for: engine(for: graph))
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers in every run.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension SystemRandomNumberGenerator {
  static func seeded(_ seed: UInt64) -> SplitMix64 { SplitMix64(state: seed) }
}
