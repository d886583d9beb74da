// ActiveRig+Nodes.swift: replaces nodes of the active rig. SPDX-License-Identifier: MIT

import Isolation
import PluginCatalogue
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

extension ActiveRig {
  /// Re-creates a node with its current values, and crossfades to it. [main]
  ///
  /// - Throws: errors of the plugin; the session is unchanged then.
  func recreateNode(_ name: String) throws { try recreate([name]) }

  /// Re-creates nodes with their current values, and crossfades to them. [main]
  ///
  /// - Throws: errors of the plugins; the session is unchanged then.
  func recreate(_ names: [String]) throws {
    try edit(
      to: rig, graph.plan, keeping: RetainedNodes(of: graph, in: graph.plan).excluding(names))
    latencies = LatencyMonitor(graph.members)
  }

  /// Re-creates a node whose sandbox does not contain the files of new properties. [main]
  ///
  /// - Throws: errors of the plugin; the session is unchanged then.
  func recreate(
    _ name: String, at position: Int, for properties: [(index: Int, value: PropertyValue)]
  ) throws {
    var plan = graph.plan
    plan.nodes[position].properties.removeAll { old in
      properties.contains { $0.index == old.property }
    }
    plan.nodes[position].properties += properties.map { .init(property: $0.index, value: $0.value) }
    widenedNodes = [name]
    defer { widenedNodes = [] }
    try edit(to: rig, plan, keeping: RetainedNodes(of: graph, in: plan).excluding([name]))
    latencies = LatencyMonitor(graph.members)
  }

  func edit(
    to next: PreparedRig, _ plan: RigPlan, keeping kept: RetainedNodes,
    lines: [ConnectionDelay]? = nil
  ) throws {
    var newNodes: [any Node] = []
    let makeNode = LiveGraph.nodeMaker(next, library)
    let feedbackSuppressor =
      next.rig.suppressesFeedback
      ? graph.feedbackSuppressor
        ?? LiveGraph.feedbackSuppressor(next, plan, stream, graph.configuration) : nil
    do {
      let built = try RigBuilder.build(
        plan, graph.configuration, outputGuard: feedbackSuppressor, keeping: kept.nodes,
        from: graph.graph,
        lines: lines ?? graph.lines, gains: graph.gains
      ) { plugin, configuration in
        let node = try makeNode(plugin, configuration)
        newNodes.append(node)
        return node
      }
      for position in built.members.indices where kept.nodes[position] == nil {
        copyManualValues(built.members[position], plan.nodes[position])
      }
      let replaced = nodes(replacedBy: built.members)
      try graph.edit(to: built, plan, replacing: replaced, feedbackSuppressor: feedbackSuppressor)
    } catch {
      for node in newNodes { node.deactivate() }
      throw error
    }
  }

  /// Copies manual values from the old node of the same name to a new one, if both have the same
  /// plugin.
  ///
  /// A recompiled module also gets its state.
  private func copyManualValues(_ member: BuiltRig.BuiltNode, _ planned: RigPlan.PlannedNode) {
    guard let position = graph.members.firstIndex(where: { $0.name == member.name }) else { return }
    let old = graph.members[position]
    let oldPlan = graph.plan.nodes[position]
    // A node with another preset or state keeps the values of that preset or state.
    let hasSameStart =
      planned.preset == oldPlan.preset && planned.stateDirectory == oldPlan.stateDirectory
    for (node, before) in zip(member.nodes, old.nodes) {
      if old.plugin == member.plugin {
        guard hasSameStart, member.name != resetNode else { continue }
        let movesProcess =
          planned.isolation != oldPlan.isolation || planned.isSandboxed != oldPlan.isSandboxed
          || widenedNodes.contains(member.name)
        recoverState(of: before, to: node, member, movesProcess: movesProcess)
        let written = Set(RetainedNodes.changes(planned, oldPlan).map(\.parameter))
        for index in member.plugin.parameters.indices where !written.contains(index) {
          node.setParameter(index, to: before.parameter(index))
        }
      } else if old.plugin.identifier == member.plugin.identifier {
        Self.transferParameters(from: before, old.plugin, to: node, member.plugin)
      }
    }
  }

  /// Restores the last saved state of a node whose worker process failed; after a second fault, the state before it.
  ///
  /// A node that moves to another process gets the present state. Without that state the node starts like a new one.
  private func recoverState(
    of old: any Node, to node: any Node, _ member: BuiltRig.BuiltNode, movesProcess: Bool
  ) {
    guard let old = old.capabilities[IsolatedNode.self], old.describeFault() != nil else {
      if movesProcess { try? StateTransfer.copy(from: old, to: node, of: member.plugin) }
      return
    }
    let isRepeated = (faults.times[member.name]?.count ?? 0) > 1
    try? node.capabilities[IsolatedNode.self]?.recoverState(of: old, usesOlder: isRepeated)
  }

  /// Returns the nodes that recompiled versions replace.
  ///
  /// They render no tail, because both at once would be too loud.
  private func nodes(replacedBy members: [BuiltRig.BuiltNode]) -> [any Node] {
    func isSame(_ one: PluginDescription, _ other: PluginDescription) -> Bool {
      let source = library.build(of: one)?.absolutePath
      return one.identifier == other.identifier
        || (source != nil && source == library.build(of: other)?.absolutePath)
    }
    return graph.members.filter { old in
      members.contains {
        $0.name == old.name && $0.plugin != old.plugin && isSame($0.plugin, old.plugin)
      }
    }.flatMap(\.nodes)
  }

  /// Copies parameters and files by symbol, and the state, if the new code accepts them.
  ///
  /// A file that is already loaded is unchanged.
  static func transferParameters(
    from old: any Node, _ oldPlugin: PluginDescription, to node: any Node,
    _ plugin: PluginDescription
  ) {
    for (index, parameter) in plugin.parameters.enumerated() {
      guard let position = oldPlugin.parameters.firstIndex(where: { $0.symbol == parameter.symbol })
      else { continue }
      // A parameter at its old default was not set by the user, and gets the new default.
      let value = old.parameter(position)
      guard value != oldPlugin.parameters[position].defaultValue else { continue }
      node.setParameter(index, to: value)
    }
    if let old = old.capabilities.properties, let node = node.capabilities.properties {
      for (index, property) in plugin.properties.enumerated() where node.property(index) == nil {
        guard let position = oldPlugin.properties.firstIndex(where: { $0.uri == property.uri }),
          let value = old.property(position)
        else { continue }
        try? node.setProperty(index, to: value)
      }
    }
    guard let bytes = old.capabilities.state?.save() else { return }
    try? node.capabilities.state?.restore(bytes)
  }
}
