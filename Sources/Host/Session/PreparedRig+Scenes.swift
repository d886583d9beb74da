// PreparedRig+Scenes.swift: scenes and MIDI mappings of a prepared rig. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RenderGraph
package import RigPlanning
package import RigSchema

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
    var values = plugin.parameters.indices.compactMap { position -> RigParameter? in
      let parameter = plugin.parameters[position]
      guard !moved.contains(position), !parameter.traits.contains(.trigger),
        let number = numbers[position]
      else { return nil }
      return RigParameter(
        symbol: "\(node.name).\(parameter.symbol)",
        text: parameter.spelling(of: parameter.nearestValid(to: number)))
    }
    func note(_ key: String, _ text: String) {
      guard plugin.parameters.index(ofSymbol: key) == nil else { return }
      values.append(RigParameter(symbol: "\(node.name).\(key)", text: text))
    }
    if plan.canBypass(index) {
      note("bypass", node.isBypassed ? "on" : "off")
      note("wet", WetLevel.spelling(of: node.wetLevel))
    }
    return values
  }

  /// Completes complete scenes with the current values of the rig file. [any]
  ///
  /// Later changes to these values do not change the scenes. Values from presets or states are not known here and are
  /// not added.
  mutating func completeScenes(_ plan: RigPlan) {
    guard rig.scenes.contains(where: \.isComplete) else { return }
    let present = sceneValues(plan) { index in
      let node = plan.nodes[index]
      let isKnown = node.preset == nil && node.stateDirectory == nil
      var values: [Float?] = node.plugin.parameters.map { isKnown ? $0.defaultValue : nil }
      for value in node.values { values[value.parameter] = value.value }
      return values
    }
    for index in rig.scenes.indices where rig.scenes[index].isComplete {
      let written = rig.scenes[index].values.map { Self.target($0, plan) }
      let known = Set(written)
      rig.scenes[index].values += present.filter { !known.contains(Self.target($0, plan)) }
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
    let position = node.plugin.parameters.index(ofSymbol: symbol)
    return position.map { "\(node.name) \($0)" } ?? "\(node.name) \(symbol.lowercased())"
  }
}

extension PreparedRig {
  /// Returns the rig with the values of a scene; automated values start with their lane. [any]
  ///
  /// - Parameter name: the name of the scene, ignoring case.
  /// - Returns: the rig without scenes.
  /// - Throws: `SetValueError` if no such scene exists.
  package func applyingScene(_ name: String) throws(SetValueError) -> PreparedRig {
    let scene = rig.scenes[try Self.index(ofScene: name, among: rig.scenes.map(\.name))]
    var result = self
    for value in scene.values {
      if let gain = gain(value) {
        result.rig.connections[gain.index].gainDecibels = gain.decibels
        continue
      }
      // The values were checked when the rig was prepared.
      guard let (node, symbol) = RigLane.split(value.symbol),
        let index = rig.nodes.firstIndex(where: {
          $0.name == node || $0.name == node.split(separator: ".").joined(separator: "/")
        })
      else { continue }
      if let parameter = plugins[index].parameters.index(ofSymbol: symbol) {
        guard !isUnchanged(value, of: parameter, ofNode: index) else { continue }
        result.rig.nodes[index].parameters.append(
          RigParameter(symbol: symbol, text: value.text, position: value.position))
        continue
      }
      guard let hand = try? BypassSettings([(symbol, value.text)], of: value.symbol) else {
        continue
      }
      if let wet = hand.wet { result.rig.nodes[index].wetLevel = wet }
      if let isBypassed = hand.isBypassed { result.rig.nodes[index].isBypassed = isBypassed }
    }
    return result
  }

  /// Whether the rig has a scene's value of a parameter already without writing it.
  private func isUnchanged(_ value: RigParameter, of parameter: Int, ofNode index: Int) -> Bool {
    let (node, plugin) = (rig.nodes[index], plugins[index])
    guard node.preset == nil, node.state == nil,
      !node.parameters.contains(where: {
        plugin.parameters.index(ofSymbol: $0.symbol) == parameter
      }),
      case .success(let parsed) = ParameterValue.parse(
        value.text, for: plugin.parameters[parameter])
    else { return false }
    return parsed.value == RigSaver.values(node.origin?.parameters ?? [], of: plugin)[parameter]
  }

  /// Returns the change that a scene value makes to a connection; nil if it belongs to a node.
  private func gain(_ value: RigParameter) -> (index: Int, decibels: Float)? {
    guard let (text, _) = RigLane.split(value.symbol), let name = ConnectionSpecifier(text),
      let gain = ConnectionGain(value.text),
      case .success(let position) = name.index(
        among: rig.connections.enumerated().filter { !$1.carriesMIDI }.map { ($0, $1) })
    else { return nil }
    return (position, gain.decibels)
  }

  /// Returns the index of a scene by name, ignoring case.
  ///
  /// - Throws: `SetValueError` if no such scene exists.
  static func index(ofScene name: String, among names: [String]) throws(SetValueError) -> Int {
    if let exact = names.firstIndex(of: name) { return exact }
    let close = names.indices.filter { names[$0].lowercased() == name.lowercased() }
    if close.count == 1 { return close[0] }
    guard !names.isEmpty else {
      throw SetValueError(messages: [
        "This rig has no scenes. To store one, run `outboard scene --store \(name)`."
      ])
    }
    let hint =
      nearest(to: name, among: names).map { "Did you mean \($0)?" }
      ?? "Known scenes: \(names.joined(separator: ", "))."
    throw SetValueError(messages: ["No such scene: \(name). \(hint)"])
  }
}

extension PreparedRig {
  /// Returns the mappings of this rig with those that were added and without those that were removed by hand.
  func maps(preserving now: PreparedRig, since written: PreparedRig) -> [RigMap] {
    func lines(_ maps: [RigMap]) -> Set<String> { Set(maps.map(\.description)) }
    let (present, old) = (lines(now.rig.maps), lines(written.rig.maps))
    let kept = rig.maps.filter {
      present.contains($0.description) || !old.contains($0.description)
    }
    let known = lines(kept).union(old)
    return kept + now.rig.maps.filter { !known.contains($0.description) && hasTarget(of: $0) }
  }

  /// Whether the rig has the target of a mapping that the user could not remove.
  private func hasTarget(of map: RigMap) -> Bool {
    var single = self
    single.rig.maps = [map]
    return (try? single.plan(inputChannelCount: 2, outputChannelCount: nil)) != nil
  }
}

extension LiveSession {
  /// The resolved mappings, in the order of the rig. [main]
  package var maps: [MapPlan] { graph.plan.maps }

  /// Replaces the mappings of the rig, as one change that can be undone. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: the errors of the mappings; nothing is changed then.
  package func setMaps(_ maps: [RigMap]) throws -> [String] {
    var next = rig
    next.rig.maps = maps
    return try active.change(to: next)
  }

  /// Resolves a mapping without adding it. [main]
  ///
  /// - Throws: why it has no target.
  package func plan(_ map: RigMap) throws -> MapPlan {
    var next = rig
    next.rig.maps = [map]
    let settings = graph.engine.settings
    do {
      return try next.plan(
        inputChannelCount: settings.inputChannelCount,
        outputChannelCount: settings.outputChannelCount
      ).maps[0]
    } catch let error as ManifestError {
      // The mapping is not in the file.
      throw SetValueError(
        messages: error.diagnostics.map { "\(map.target): \($0.fault)" })
    }
  }
}
