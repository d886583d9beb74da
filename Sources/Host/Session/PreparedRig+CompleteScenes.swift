// PreparedRig+CompleteScenes.swift: scenes that set all values. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigPlanning
import RigSchema

extension PreparedRig {
  /// Returns everything that a scene can set. [any]
  ///
  /// These are all parameters except automated and trigger parameters, `bypass` and `wet`, and the gains of named
  /// connections.
  ///
  /// - Parameters:
  ///   - plan: the plan of this rig.
  ///   - values: returns the parameter values of a node in plugin order; nil for an unknown value.
  /// - Returns: the values by the name of the node or connection.
  func sceneValues(_ plan: RigPlan, _ values: (Int) -> [Float?]) -> [RigParameter] {
    let gains = zip(rig.connections, plan.connections).compactMap {
      written, planned -> RigParameter? in
      guard let name = planned.name, planned.lane == nil, !RecordingTaps.isTap(written) else {
        return nil
      }
      return RigParameter(
        symbol: "\(name).gain", text: ConnectionGain.spelling(of: written.gainDecibels))
    }
    let nodes = rig.nodes.indices.filter { !RecordingTaps.isTap(rig.nodes[$0].name) }
    return nodes.flatMap { sceneValues(ofNode: $0, plan, values($0)) } + gains
  }

  private func sceneValues(
    ofNode index: Int, _ plan: RigPlan, _ numbers: [Float?]
  ) -> [RigParameter] {
    let (node, plugin) = (rig.nodes[index], plan.nodes[index].plugin)
    let moved = Set(plan.nodes[index].lanes.map(\.parameter))
    var values = plugin.parameters.indices.compactMap { place -> RigParameter? in
      let parameter = plugin.parameters[place]
      guard !moved.contains(place), !parameter.traits.contains(.trigger),
        let number = numbers[place]
      else { return nil }
      return RigParameter(
        symbol: "\(node.name).\(parameter.symbol)",
        text: parameter.spelling(of: parameter.nearestValid(to: number)))
    }
    func note(_ key: String, _ text: String) {
      guard plugin.parameters.place(of: key) == nil else { return }
      values.append(RigParameter(symbol: "\(node.name).\(key)", text: text))
    }
    if plan.canBypass(index) {
      note("bypass", node.isBypassed ? "on" : "off")
      note("wet", WetLevel.spelling(of: node.wetShare))
    }
    return values
  }

  /// Completes complete scenes with the current values of the rig file. [any]
  ///
  /// Later changes to these values do not change the scenes. Values from presets or states are not known here and are
  /// not added.
  mutating func completeScenes(_ plan: RigPlan) {
    guard rig.scenes.contains(where: \.isComplete) else { return }
    let own = sceneValues(plan) { index in
      let node = plan.nodes[index]
      let isKnown = node.preset == nil && node.stateDirectory == nil
      var values: [Float?] = node.plugin.parameters.map { isKnown ? $0.defaultValue : nil }
      for value in node.values { values[value.parameter] = value.value }
      return values
    }
    for index in rig.scenes.indices where rig.scenes[index].isComplete {
      let said = rig.scenes[index].values.map { Self.target($0, plan) }
      let known = Set(said)
      rig.scenes[index].values += own.filter { !known.contains(Self.target($0, plan)) }
    }
  }

  /// The target of a scene value in a unique spelling.
  private static func target(_ value: RigParameter, _ plan: RigPlan) -> String {
    guard let (name, symbol) = RigLane.split(value.symbol) else { return value.symbol }
    if let connection = ConnectionSpecifier(name) { return "\(connection)" }
    let full = name.split(separator: ".").joined(separator: "/")
    guard let node = plan.nodes.first(where: { $0.name == name || $0.name == full }) else {
      return value.symbol
    }
    let place = node.plugin.parameters.place(of: symbol)
    return place.map { "\(node.name) \($0)" } ?? "\(node.name) \(symbol.lowercased())"
  }
}
