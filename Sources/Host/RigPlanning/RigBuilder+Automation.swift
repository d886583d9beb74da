// RigBuilder+Automation.swift: automation lanes of the nodes in a graph. SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph

extension RigBuilder {
  /// Assigns lanes to the members of a graph; lanes that already exist keep their position.
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
