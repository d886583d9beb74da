// ActiveRig+Automation.swift: automated values after changes. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema

extension ActiveRig {
  /// Sets parameters that are no longer automated to their values in the rig. [main]
  ///
  /// - Parameter before: the plan of the previous graph.
  func restoreUnautomatedValues(from before: RigPlan) {
    for (index, planned) in graph.plan.nodes.enumerated() {
      guard let old = before.nodes.first(where: { $0.name == planned.name }),
        old.plugin == planned.plugin
      else { continue }
      let moved = Set(planned.lanes.map(\.parameter))
      for lane in old.lanes where !moved.contains(lane.parameter) {
        let written = planned.values.last { $0.parameter == lane.parameter }?.value
        // If a preset or a state set the value, it is unknown, and the parameter is unchanged.
        guard let value = written ?? planned.initialValue(of: lane.parameter) else { continue }
        for node in graph.members[index].nodes { node.setParameter(lane.parameter, to: value) }
      }
    }
  }

  /// Holds automated parameters of a node at their current values until the next points of their
  /// lanes. [main]
  ///
  /// - Returns: a message for each automated parameter.
  func overrideUntilNextPoint(_ parameters: [Int], ofMember index: Int) -> [String] {
    let member = graph.members[index]
    return parameters.compactMap { parameter in
      let automations = member.nodes.compactMap { graph.graph.automation(of: $0) }
      let isOverridden = automations.map { $0.overrideUntilNextPoint(parameter) }.contains(true)
      guard isOverridden else { return nil }
      let symbol = member.plugin.parameters[parameter].symbol
      return "\(member.name).\(symbol) is automated. Its lane sets it again at the next point."
    }
  }

  /// Holds the automated wet level or bypass of a node or nested rig until the next point of its
  /// lane. [main]
  ///
  /// - Returns: a message for each automated value.
  func overrideUntilNextPoint(_ changes: BypassSettings, of name: String) -> [String] {
    let set: [(symbol: String, gain: Float?)] = [
      ("wet", changes.wet), ("bypass", changes.isBypassed.map { $0 ? 0 : 1 }),
    ]
    return set.compactMap { symbol, gain in
      guard let gain else { return nil }
      let lane = "\(name).\(symbol)"
      let isOverridden = graph.gains.map { $0.node.overrideUntilNextPoint(lane, at: gain) }
        .contains(true)
      return isOverridden ? "\(lane) is automated. Its lane sets it again at the next point." : nil
    }
  }

  /// Holds the automated gain of a connection at the rig's value until the next point of its lane.
  /// [main]
  ///
  /// - Returns: a message for each automated gain.
  func overrideUntilNextPoint(connection index: Int) -> [String] {
    guard let lane = graph.plan.connections[index].lane else { return [] }
    let connection = rig.rig.connections[index]
    let gain = Float(pow(10, Double(connection.gainDecibels) / 20))
    let isOverridden = graph.gains.map { $0.node.overrideUntilNextPoint(lane, at: gain) }.contains(
      true)
    return isOverridden
      ? ["\(connection.label).gain is automated. Its lane sets it again at the next point."] : []
  }
}

extension RigPlan.PlannedNode {
  /// Returns the start value of a parameter that the rig does not set; nil if only the plugin knows
  /// it.
  fileprivate func initialValue(of parameter: Int) -> Float? {
    preset == nil && stateDirectory == nil ? plugin.parameters[parameter].defaultValue : nil
  }
}
