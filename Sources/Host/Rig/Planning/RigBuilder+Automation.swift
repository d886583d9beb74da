// RigBuilder+Automation.swift: lanes put beside the nodes that they move. SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph

extension RigBuilder {
  /// Gives the members of a graph their lanes; those that a node has already stay as far as they have come.
  static func automate(
    _ graph: inout Graph, _ members: [BuiltRig.BuiltNode], _ plan: RigPlan,
    _ configuration: NodeConfiguration, from old: Graph?
  ) {
    guard let transport = configuration.transport else { return }
    for (planned, member) in zip(plan.nodes, members) where !planned.lanes.isEmpty {
      for node in member.nodes {
        let present = old?.automation(of: node)
        let automation =
          present?.lanes == planned.lanes
          ? present : NodeAutomation(planned.lanes, of: node, transport: transport)
        if let automation { graph.automate(node, by: automation) }
      }
    }
  }
}
