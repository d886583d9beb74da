// LiveSession+Automation.swift: what becomes of values that lanes move. SPDX-License-Identifier: MIT

import PluginModel
import RenderGraph
import Rig

extension LiveSession {
  /// Gives parameters that have no lane any more what the rig says of them. [main]
  ///
  /// - Parameter before: the plan of the graph that was led over to this one.
  func settleAfterLanes(from before: RigPlan) {
    for (place, planned) in graph.plan.nodes.enumerated() {
      guard let old = before.nodes.first(where: { $0.name == planned.name }),
        old.plugin == planned.plugin
      else { continue }
      let moved = Set(planned.lanes.map(\.parameter))
      for lane in old.lanes where !moved.contains(lane.parameter) {
        let written = planned.values.last { $0.parameter == lane.parameter }?.value
        // What a preset or a state said of it is not known any more: then it stays where it is.
        guard let value = written ?? planned.plainDefault(of: lane.parameter) else { continue }
        for node in graph.members[place].nodes { node.setParameter(lane.parameter, to: value) }
      }
    }
  }

  /// Has the lanes of a member leave parameters alone until their next points; one sentence for each that
  /// has one. [main]
  func touch(_ parameters: [Int], ofMember place: Int) -> [String] {
    let member = graph.members[place]
    return parameters.compactMap { parameter in
      let automations = member.nodes.compactMap { graph.graph.automation(of: $0) }
      let isTouched = automations.map { $0.touch(parameter) }.contains(true)
      guard isTouched else { return nil }
      let symbol = member.plugin.parameters[parameter].symbol
      return "\(member.name).\(symbol) has a lane, which takes over again at its next point."
    }
  }
}

extension LiveSession {
  /// Has the lanes of what goes past a node, or a rig within, stand at what was set until their next points;
  /// one sentence for each that has one. [main]
  func touch(_ hand: BypassSettings, of name: String) -> [String] {
    let set: [(symbol: String, gain: Float?)] = [
      ("wet", hand.wet), ("bypass", hand.isBypassed.map { $0 ? 0 : 1 }),
    ]
    return set.compactMap { symbol, gain in
      guard let gain else { return nil }
      let lane = "\(name).\(symbol)"
      let isTouched = graph.gains.map { $0.node.touch(lane, at: gain) }.contains(true)
      return isTouched ? "\(lane) has a lane, which takes over again at its next point." : nil
    }
  }
}

extension RigPlan.PlannedNode {
  /// What a parameter begins with that the rig does not mention; nil where only the plugin knows.
  fileprivate func plainDefault(of parameter: Int) -> Float? {
    preset == nil && stateFolder == nil ? plugin.parameters[parameter].defaultValue : nil
  }
}
