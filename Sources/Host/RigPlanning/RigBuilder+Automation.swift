// RigBuilder+Automation.swift: automation lanes and mapped parameters of the nodes in a graph.
// SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph

extension RigBuilder {
  /// Assigns lanes and mapped parameters to the members of a graph; those that already exist keep their position.
  static func automate(
    _ graph: inout Graph, _ members: [BuiltRig.BuiltNode], _ plan: RigPlan,
    _ configuration: NodeConfiguration, from old: Graph?
  ) {
    guard let transport = configuration.transport else { return }
    for (planned, member) in zip(plan.nodes, members) {
      let moved = plan.movedParameters(of: planned)
      guard !planned.lanes.isEmpty || !moved.isEmpty else { continue }
      for node in member.nodes {
        let present = old?.automation(of: node)
        let isSame = present?.lanes == planned.lanes && present?.moves.map(\.moved) == moved
        let automation =
          isSame
          ? present : NodeAutomation(planned.lanes, moving: moved, of: node, transport: transport)
        if let automation { graph.automate(node, by: automation) }
      }
    }
  }
}

extension RigPlan {
  /// The parameters of a node that controls move in ramps, without those that have a lane.
  fileprivate func movedParameters(of node: PlannedNode) -> [MovedParameter] {
    var moved: [MovedParameter] = []
    for map in maps where map.hasRamps {
      guard case .parameter(node.name, let parameter) = map.target,
        let index = node.plugin.parameters.firstIndex(where: { $0.symbol == parameter.symbol }),
        !node.lanes.contains(where: { $0.parameter == index }),
        !moved.contains(where: { $0.parameter == index })
      else { continue }
      moved.append(MovedParameter(index, isLogarithmic: map.scale.isLogarithmic))
    }
    return moved
  }
}
