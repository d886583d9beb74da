// ChainPlan.swift: finds nodes that one of them can render together. SPDX-License-Identifier: MIT

import PluginModel

/// The chains of a plan: nodes that get their inputs only from nodes of the same chain, without a step between.
struct ChainPlan {
  /// The most nodes of a chain.
  static let longest = 16

  /// The nodes after the first node of each chain, by its index in the graph.
  private(set) var followers: [Int: [ChainFollower]] = [:]

  private let graph: Graph
  /// The chain and the position of each node that may be followed.
  private var chainPositions: [Int: (first: Int, memberIndex: Int)] = [:]
  /// The node that writes each value.
  private var writers: [BufferLocation: (node: Int, output: Int)] = [:]
  /// The nodes that receive MIDI.
  private let receivers: Set<Int>

  /// Finds the chains of a plan without nodes that are bypassed because of a fault. [main]
  init(_ plan: StepPlan, _ graph: Graph, without faulty: Set<ObjectIdentifier>) {
    self.graph = graph
    guard graph.vertices.contains(where: { $0.node.chainHost != nil }) else {
      receivers = []
      return
    }
    receivers = Set(
      plan.steps.compactMap { step in
        switch step.operation {
        case .deliverEvents(_, .node(let id)), .endNotes(.node(let id)): id.index
        default: nil
        }
      })
    for step in plan.steps {
      guard case .node(let index) = step.operation else { continue }
      add(index, step, isFaulty: faulty.contains(ObjectIdentifier(graph.vertices[index].node)))
    }
  }

  private mutating func add(_ index: Int, _ step: PlannedStep, isFaulty: Bool) {
    let node = graph.vertices[index].node
    guard !isFaulty, graph.automation(of: node) == nil, node.chainHost != nil else { return }
    if let (first, sources) = sources(of: index, step) {
      followers[first, default: []].append(ChainFollower(node: node, sources: sources))
      chainPositions[index] = (first, followers[first]?.count ?? 0)
    } else {
      chainPositions[index] = (index, 0)
    }
    for (output, memberIndex) in step.outputs.enumerated() {
      writers[memberIndex] = (index, output)
    }
  }

  /// Returns the first node of the chain that a node can follow, and the sources of its inputs.
  private func sources(of index: Int, _ step: PlannedStep) -> (Int, [ChainFollower.Source?])? {
    guard !receivers.contains(index) else { return nil }
    var first: Int?
    var sources: [ChainFollower.Source?] = []
    for input in step.inputs {
      guard input != .unconnected else {
        sources.append(nil)
        continue
      }
      guard let writer = writers[input], let found = chainPositions[writer.node],
        found.first == first ?? found.first
      else { return nil }
      first = found.first
      sources.append(ChainFollower.Source(memberIndex: found.memberIndex, output: writer.output))
    }
    guard let first, (followers[first]?.count ?? 0) + 1 < Self.longest,
      graph.vertices[first].node.chainHost === graph.vertices[index].node.chainHost
    else { return nil }
    return (first, sources)
  }
}
