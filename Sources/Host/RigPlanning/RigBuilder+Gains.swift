// RigBuilder+Gains.swift: automated gains of connections. SPDX-License-Identifier: MIT

import PluginModel
package import RenderGraph

/// An automated gain of a connection in a graph.
package struct AutomatedGain {
  /// The connection and its lane.
  struct Key: Equatable {
    var from: String
    var to: String
    var delaySeconds: Double?
    var factors: [GainFactor]
  }

  let key: Key
  /// The processor.
  package let node: GainAutomationNode
}

/// The automated gains of a rig under construction, one per automated link.
struct AutomatedGains {
  /// The gains of the graph.
  private(set) var gains: [AutomatedGain] = []
  private let known: [AutomatedGain]
  private let configuration: NodeConfiguration

  /// - Parameters:
  ///   - known: the existing automated gains, whose progress is kept.
  ///   - configuration: the sample rate, and the musical time that the gains follow.
  init(_ known: [AutomatedGain], _ configuration: NodeConfiguration) {
    (self.known, self.configuration) = (known, configuration)
  }

  /// Returns the output of a source after the automated gains of a link, and the remaining constant gain.
  mutating func gainStage(
    _ source: Graph.Source, _ link: RigPlan.Link, _ plan: RigPlan, in graph: inout Graph,
    delayFrames: Int? = nil
  ) throws -> (source: Graph.Source, gain: Float) {
    guard !link.factors.isEmpty else { return (source, 1) }
    guard let transport = configuration.transport else {
      return (source, link.factors.reduce(1) { $0 * $1.start })
    }
    let key = AutomatedGain.Key(
      from: Self.name(link.from, plan, "in"), to: Self.name(link.to, plan, "out"),
      delaySeconds: link.delaySeconds, factors: link.factors)
    let gain =
      known.first { $0.key == key }
      ?? AutomatedGain(
        key: key,
        node: GainAutomationNode(
          link.factors, transport: transport, sampleRateHz: configuration.sampleRateHz))
    gains.append(gain)
    let id = graph.add(gain.node, named: "\(key.from) -> \(key.to)")
    try graph.connect(source, to: .node(id, channel: 0), delayFrames: delayFrames)
    return (.node(id, channel: 0), 1)
  }

  private static func name(_ channel: RigPlan.Channel, _ plan: RigPlan, _ boundary: String)
    -> String
  {
    "\(channel.node.map { plan.nodes[$0].name } ?? boundary):\(channel.index + 1)"
  }
}
