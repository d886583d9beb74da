// Desk.swift: a graph like a large mixing desk, with any number of nodes. SPDX-License-Identifier: MIT

import CRealtime
package import PluginModel
package import RenderGraph

/// A node with one input and one output that multiplies by 0.9 and may report a latency.
package final class GainNode: Node {
  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames: Int
  package let canRunInPlace = true
  private let gain: UnsafeMutablePointer<Float>

  /// - Parameter latency: The latency that the node reports, in frames; it does not delay the samples.
  package init(latency: Int = 0) {
    latencyFrames = latency
    gain = .allocate(capacity: 1)
    gain.initialize(to: 0.9)
  }
  deinit { gain.deallocate() }

  package var step: NodeStep {
    NodeStep(function: gainNodeStep, context: UnsafeMutableRawPointer(gain))
  }
  package func setParameter(_ index: Int, to value: Float) {}
  package func parameter(_ index: Int) -> Float { 0 }
  package func activate() {}
  package func deactivate() {}
  package func reset() {}
}

@c(test_gain_node_step)
private func gainNodeStep(
  _ context: UnsafeMutableRawPointer, _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>,
  _ frameCount: UInt32
) {
  let gain = context.assumingMemoryBound(to: Float.self).pointee
  let (from, to) = (buffers[0], buffers[1])
  for frame in 0 ..< Int(frameCount) { to[frame] = from[frame] * gain }
}

/// Strips of eight nodes, and eight effects.
///
/// Each strip is connected to the outputs and to two of the effects, each effect to the outputs. One strip in four has a
/// latency of 64 frames, which the graph compensates in all others.
package struct Desk {
  private var strips: [[GainNode]] = []
  private let effects = (0 ..< 8).map { GainNode(latency: $0 * 16) }
  /// The gain of each strip's connection to the outputs.
  private var levels: [Float] = []

  /// A desk of `nodeCount` nodes, rounded up to whole strips.
  package init(_ nodeCount: Int) {
    while strips.count * 8 + 8 < nodeCount {
      let latency = strips.count % 4 == 3 ? 64 : 0
      strips.append((0 ..< 8).map { GainNode(latency: $0 == 3 ? latency : 0) })
      levels.append(0.01)
    }
  }

  /// The desk as a graph with two inputs and two outputs.
  package func graph() -> Graph {
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    let returns = effects.map { graph.add($0, named: "effect") }
    do {
      for (index, strip) in strips.enumerated() {
        var last = Graph.Source.input(channel: index % 2)
        for node in strip {
          let id = graph.add(node, named: "strip")
          try graph.connect(last, to: .node(id, channel: 0))
          last = .node(id, channel: 0)
        }
        try graph.connect(last, to: .output(channel: index % 2), gain: levels[index])
        try graph.connect(last, to: .node(returns[index % 8], channel: 0), gain: 0.1)
        try graph.connect(last, to: .node(returns[(index + 3) % 8], channel: 0), gain: 0.1)
      }
      for (index, id) in returns.enumerated() {
        try graph.connect(.node(id, channel: 0), to: .output(channel: index % 2))
      }
    } catch { fatalError("\(error)") }
    return graph
  }

  /// Changes a random part: a level, or a node that is replaced, inserted, removed, appended or given a latency.
  package mutating func change(_ numbers: inout Numbers) {
    let strip = numbers.next(below: strips.count)
    switch numbers.next(below: 5) {
    case 0: levels[strip] = 0.02 - levels[strip]
    case 1: strips[strip][numbers.next(below: strips[strip].count)] = GainNode()
    case 2: strips[strip].insert(GainNode(), at: numbers.next(below: strips[strip].count))
    case 3 where strips[strip].count > 4: strips[strip].removeLast()
    case 3: strips[strip].append(GainNode())
    default: strips[strip][1] = GainNode(latency: 1 + numbers.next(below: 63))
    }
  }
}
