// RigBuilder+Gains.swift: connections whose gains move. SPDX-License-Identifier: MIT

import PluginModel
package import RenderGraph

/// A gain that moves in a graph that was made from a rig.
package struct AutomatedGain {
  /// Where it stands, and what moves it.
  struct Key: Equatable {
    var from: String
    var to: String
    var delaySeconds: Double?
    var factors: [GainFactor]
  }

  let key: Key
  /// What does it.
  package let node: GainAutomationNode
}

/// The moving gains of a rig that is being built, one for each link that has any.
struct AutomatedGains {
  /// Those that the graph has.
  private(set) var gains: [AutomatedGain] = []
  private let known: [AutomatedGain]
  private let configuration: NodeConfiguration

  /// - Parameters:
  ///   - known: those that are there already, as far as they have come.
  ///   - configuration: the rate, and the musical time that moves them.
  init(_ known: [AutomatedGain], _ configuration: NodeConfiguration) {
    (self.known, self.configuration) = (known, configuration)
  }

  /// What is heard of a source behind the gains of a link that move, and what is left to be multiplied with.
  mutating func moved(
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

  private static func name(_ channel: RigPlan.Channel, _ plan: RigPlan, _ border: String) -> String
  {
    "\(channel.node.map { plan.nodes[$0].name } ?? border):\(channel.index + 1)"
  }
}
