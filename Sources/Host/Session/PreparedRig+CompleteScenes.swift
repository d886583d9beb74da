// PreparedRig+CompleteScenes.swift: scenes that set everything. SPDX-License-Identifier: MIT

import PluginModel
import Rig

extension PreparedRig {
  /// Everything that a scene can set: all parameters except those that lanes move and those that trigger
  /// something, `bypass` and `wet`, and the gains of connections that have a name. [any]
  ///
  /// - Parameters:
  ///   - plan: the plan of this rig.
  ///   - values: the parameters' values of the node at a place, in the plugin's order; nil for an unknown value.
  /// - Returns: a value for each, by the node's or the connection's name.
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
        text: parameter.spelling(of: parameter.nearestLegal(to: number)))
    }
    func note(_ key: String, _ text: String) {
      guard plugin.parameters.place(of: key) == nil else { return }
      values.append(RigParameter(symbol: "\(node.name).\(key)", text: text))
    }
    if plan.canBePassed(index) {
      note("bypass", node.isBypassed ? "on" : "off")
      note("wet", WetLevel.spelling(of: node.wetShare))
    }
    return values
  }

  /// Gives complete scenes what they leave out, as the rig is written now. [any]
  ///
  /// Later changes to the rig's own values leave the scenes alone. What a preset or a state sets is not known
  /// here, and stays out.
  mutating func completeScenes(_ plan: RigPlan) {
    guard rig.scenes.contains(where: \.isComplete) else { return }
    let own = sceneValues(plan) { index in
      let node = plan.nodes[index]
      let isKnown = node.preset == nil && node.stateFolder == nil
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

  /// What a value of a scene sets, by one spelling.
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
