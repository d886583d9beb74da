// RetainedNodes.swift: nodes that continue in another rig. SPDX-License-Identifier: MIT

import PluginModel
import RigPlanning

/// The nodes of a graph that continue in a plan.
struct RetainedNodes {
  /// The instances, by the index of the node in the plan.
  private(set) var nodes: [Int: [any Node]] = [:]
  /// The values that differ in the plan, by the index of the node.
  private(set) var values: [Int: [(parameter: Int, value: Float)]] = [:]
  private let plan: RigPlan

  var count: Int { nodes.count }

  init(of graph: LiveGraph, in plan: RigPlan) {
    self.plan = plan
    for (index, planned) in plan.nodes.enumerated() {
      guard let old = graph.members.firstIndex(where: { $0.name == planned.name }),
        graph.members[old].plugin == planned.plugin,
        Self.hasSameSetup(planned, as: graph.plan.nodes[old])
      else { continue }
      nodes[index] = graph.members[old].nodes
      values[index] = Self.changes(planned, graph.plan.nodes[old])
    }
  }

  /// Returns the set without nodes of these names.
  func excluding(_ names: [String]) -> RetainedNodes {
    var result = self
    for (index, planned) in plan.nodes.enumerated()
    where names.contains(planned.name)
      || names.contains(where: { $0.hasPrefix(planned.name + "/") })
    {
      result.nodes[index] = nil
      result.values[index] = nil
    }
    return result
  }

  /// Returns whether both nodes have the same settings that can only be applied at creation.
  private static func hasSameSetup(_ new: RigPlan.PlannedNode, as old: RigPlan.PlannedNode) -> Bool
  {
    guard new.instanceCount == old.instanceCount, new.preset == old.preset,
      new.stateDirectory == old.stateDirectory, new.isolation == old.isolation,
      new.isSandboxed == old.isSandboxed,
      isEqual(new.properties, old.properties)
    else { return false }
    // If a preset or a state sets a value that the rig no longer sets, the value is only known
    // after creation.
    let isPlain = new.preset == nil && new.stateDirectory == nil
    return isPlain || Set(old.values.map(\.parameter)).isSubset(of: new.values.map(\.parameter))
  }

  private static func isEqual(
    _ new: [RigPlan.PropertySetting], _ old: [RigPlan.PropertySetting]
  ) -> Bool {
    new.count == old.count && new.allSatisfy(old.contains)
  }

  /// Returns the values that differ, and the defaults of values that the rig no longer sets.
  static func changes(
    _ new: RigPlan.PlannedNode, _ old: RigPlan.PlannedNode
  ) -> [(parameter: Int, value: Float)] {
    func written(_ node: RigPlan.PlannedNode, _ parameter: Int) -> Float? {
      node.values.last { $0.parameter == parameter }?.value
    }
    return new.plugin.parameters.enumerated().compactMap { parameter, description in
      let (before, after) = (written(old, parameter), written(new, parameter))
      return before == after ? nil : (parameter, after ?? description.defaultValue)
    }
  }
}
