// RandomEditTests.swift: random graphs with random edits, compared with a slow reference renderer. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import Testing

@testable import RenderGraph

/// A graph as plain numbers, independent of render sequences.
private struct GraphDescription {
  struct Link {
    /// A node's index, or nil for the graph's own input.
    var from: Int?
    /// A node's index, or nil for the graph's own output.
    var to: Int?
    var gain: Float
  }

  /// Mono nodes in an order in which each has only earlier ones as inputs.
  var nodes: [SumNode]
  var links: [Link]
  /// Delayed connections, backwards or forwards, in frames; with the delay lines that carry them.
  var detours: [(link: Link, frames: Int, line: ConnectionDelay)] = []

  init(_ generator: inout Numbers, keeping nodes: [SumNode], count: Int) {
    self.nodes = nodes
    while self.nodes.count < count {
      let place = generator.next(below: self.nodes.count + 1)
      self.nodes.insert(generator.node(), at: place)
    }
    links = []
    for (index, _) in self.nodes.enumerated() {
      for _ in 0 ..< 1 + generator.next(below: 3) {
        let from = generator.next(below: index + 1)
        add(Link(from: from == index ? nil : from, to: index, gain: generator.gain()))
      }
    }
    for _ in 0 ..< 1 + generator.next(below: 4) where count > 0 {
      add(Link(from: generator.next(below: count), to: nil, gain: generator.gain()))
    }
    add(Link(from: nil, to: nil, gain: generator.gain()))
  }

  /// Adds delayed connections between any two nodes, as a loop or not.
  mutating func addDetours(_ generator: inout Numbers) {
    for number in 0 ..< 1 + generator.next(below: 4) {
      let (from, to) = (generator.next(below: nodes.count), generator.next(below: nodes.count))
      // A forward connection may be shorter than a block, and is aligned. The other half are feedback connections.
      let leadsAhead = from < to && generator.next(below: 2) == 0
      let key = ConnectionDelay.Key(
        node: "\(number)", channel: 0,
        frameCount: (leadsAhead ? 1 : 64) + generator.next(below: 700), closesLoop: !leadsAhead)
      let link = Link(from: from, to: to, gain: [0.5, -0.25][generator.next(below: 2)])
      detours.append((link, key.frameCount, ConnectionDelay(key, maximumFrameCount: 64)))
    }
  }

  /// At most one connection between two ends, because the order of a sum may vary.
  private mutating func add(_ link: Link) {
    guard !links.contains(where: { $0.from == link.from && $0.to == link.to }) else { return }
    links.append(link)
  }

  func graph() throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    let ids = nodes.enumerated().map { graph.add($0.element, named: "n\($0.offset)") }
    for link in links {
      try graph.connect(
        link.from.map { .node(ids[$0], channel: 0) } ?? .input(channel: 0),
        to: link.to.map { .node(ids[$0], channel: 0) } ?? .output(channel: 0), gain: link.gain)
    }
    for (link, _, line) in detours {
      guard let from = link.from, let to = link.to else { continue }
      let entrance = graph.add(line.entrance, named: "entrance")
      let exit = line.key.closesLoop ? graph.add(line.exit, named: "exit") : entrance
      try graph.connect(.node(ids[from], channel: 0), to: .node(entrance, channel: 0))
      try graph.connect(
        .node(exit, channel: 0), to: .node(ids[to], channel: 0), gain: link.gain,
        delayFrames: line.key.closesLoop ? 0 : nil)
    }
    return graph
  }

  /// Frames by which each node's input, and at the end the output, is late.
  private var latencies: [Int] {
    var latencies: [Int] = []
    func late(_ end: Int?) -> Int { end.map { latencies[$0] + nodes[$0].latencyFrames } ?? 0 }
    let ahead = detours.filter { !$0.line.key.closesLoop }.map(\.link)
    for index in nodes.indices {
      latencies.append((links + ahead).filter { $0.to == index }.map { late($0.from) }.max() ?? 0)
    }
    return latencies + [links.filter { $0.to == nil }.map { late($0.from) }.max() ?? 0]
  }

  /// Returns the output at each frame.
  ///
  /// Each node is computed again for each past frame that it needs.
  func output(_ frames: Range<Int>, _ signal: (Int) -> Float) -> [Float] {
    let latencies = latencies
    var known: [[Int: Float]] = .init(repeating: [:], count: nodes.count)
    func sound(_ end: Int?, _ frame: Int) -> Float {
      guard let end else { return signal(frame) }
      // A loop starts at frame 0.
      guard frame >= 0 || detours.isEmpty else { return 0 }
      if let value = known[end][frame] { return value }
      let value = sum(end, frame - nodes[end].latencyFrames) * nodes[end].parameter(0)
      known[end][frame] = value
      return value
    }
    func sum(_ sink: Int?, _ frame: Int) -> Float {
      var sum: Float?
      for link in links where link.to == sink && link.gain != 0 {
        let own = link.from.map { latencies[$0] + nodes[$0].latencyFrames } ?? 0
        let late = latencies[sink ?? nodes.count] - own
        let term = sound(link.from, frame - late) * link.gain
        sum = sum.map { $0 + term } ?? term
      }
      for (link, frames, line) in detours where link.to == sink {
        let own = link.from.map { latencies[$0] + nodes[$0].latencyFrames } ?? 0
        let late = line.key.closesLoop ? 0 : latencies[sink ?? nodes.count] - own
        let term = sound(link.from, frame - late - frames) * link.gain
        sum = sum.map { $0 + term } ?? term
      }
      return sum ?? 0
    }
    return frames.map { sum(nil, $0) }
  }
}

extension Numbers {
  fileprivate mutating func gain() -> Float { [1, 1, 0.5, -0.25, 0.125, 2, 0][next(below: 7)] }

  fileprivate mutating func node() -> SumNode {
    SumNode(
      inputs: 1, outputs: 1, gain: [0.5, 0.25, -0.5, 1][next(below: 4)],
      latency: [0, 0, 1, 7, 63, 200][next(below: 6)])
  }
}

@Suite struct RandomEditTests {
  private static func signal(_ frame: Int) -> Float {
    guard frame >= 0 else { return 0 }
    let bits = UInt32(truncatingIfNeeded: frame) &* 2_654_435_761
    // Few bits, so that sums are exact in any order.
    return Float(bits >> 28) / 16
  }

  @Test(arguments: 0 ..< 12)
  func `after any edit the output is that of a newly built graph`(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed) &* 977 &+ 13)
    var sketch = GraphDescription(&numbers, keeping: [], count: 1 + numbers.next(below: 12))
    // With one thread, or with several, which share every block that can be shared.
    let scene = try GraphTestBench(sketch.graph(), threads: [1, 2, 4][seed % 3])
    for _ in 0 ..< 8 {
      // Sometimes during a fade or a tail, sometimes at rest.
      scene.render(1 + numbers.next(below: 6_000)) { _, frame in Self.signal(frame) }
      var kept = sketch.nodes.filter { _ in numbers.next(below: 4) > 0 }
      if numbers.next(below: 3) == 0 { kept.reverse() }
      let count = max(1, kept.count + numbers.next(below: 5))
      sketch = GraphDescription(&numbers, keeping: kept, count: count)
      do {
        try scene.editor.edit(to: sketch.graph())
      } catch GraphError.loop(let names) {
        // New nodes replace those that would have to be before and after each other.
        for name in names {
          guard let place = Int(name.dropFirst()), place < sketch.nodes.count else { continue }
          let old = sketch.nodes[place]
          sketch.nodes[place] = SumNode(
            inputs: 1, outputs: 1, gain: old.parameter(0), latency: old.latencyFrames)
        }
        do { try scene.editor.edit(to: sketch.graph()) } catch {
          sketch.nodes = sketch.nodes.map {
            SumNode(inputs: 1, outputs: 1, gain: $0.parameter(0), latency: $0.latencyFrames)
          }
          try scene.editor.edit(to: sketch.graph())
        }
      }
    }
    // Tails of delays end soon, but are monitored for three seconds.
    let isSettled = scene.settle(within: 12 * 48_000) { _, frame in
      frame < 0 ? 0 : Self.signal(frame)
    }
    #expect(isSettled)
    scene.render(20_000) { _, frame in Self.signal(frame) }
    let last = (scene.frameCount - 500) ..< scene.frameCount
    let expected = sketch.output(last) { Self.signal($0) }
    #expect(Array(scene.output[0].suffix(500)) == expected)
  }

  @Test(arguments: 0 ..< 12)
  func `loops match those of a simple reference renderer bit for bit`(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed) &* 7_877 &+ 5)
    var sketch = GraphDescription(&numbers, keeping: [], count: 1 + numbers.next(below: 10))
    sketch.addDetours(&numbers)
    let scene = try GraphTestBench(sketch.graph(), threads: [1, 2, 4][seed % 3])
    scene.render(6_000) { _, frame in Self.signal(frame) }
    // Renders from the first frame on, because each frame depends on those before it.
    let expected = sketch.output(0 ..< 6_000) { Self.signal($0) }
    #expect(scene.output[0] == expected)
  }
}
