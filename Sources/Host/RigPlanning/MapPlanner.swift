// MapPlanner.swift: resolves the targets of MIDI mappings. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigSchema

extension RigPlanner {
  /// Resolves all mappings of the rig.
  mutating func readMaps() {
    for (index, map) in rig.maps.enumerated() {
      do throws(MapTargetError) {
        maps.append(try MapPlanner(planner: self).plan(map))
      } catch {
        report(error.message, map.position, "midi.map[\(index + 1)]")
      }
    }
  }
}

/// Resolves a MIDI mapping among the planned nodes of a rig.
struct MapPlanner {
  let planner: RigPlanner

  /// Returns the mapping with its target and its range.
  func plan(_ map: RigMap) throws(MapTargetError) -> MapPlan {
    if let action = map.action {
      try check(action)
      return MapPlan(map: map, target: .action(action), scale: MapScale(low: 0, high: 1))
    }
    let target = try target(map)
    return MapPlan(map: map, target: target, scale: try scale(of: target, map))
  }

  private func check(_ action: MapAction) throws(MapTargetError) {
    let names = planner.rig.scenes.map(\.name)
    guard case .scene(let name) = action,
      !names.contains(where: { $0.lowercased() == name.lowercased() })
    else { return }
    if let number = Int(name), 1 ... max(1, names.count) ~= number, !names.isEmpty { return }
    throw MapTargetError(
      message: "no such scene: \(name). "
        + (nearest(to: name, among: names).map { "Did you mean \($0)?" }
          ?? (names.isEmpty
            ? "The rig has no scenes." : "The rig has \(names.joined(separator: ", "))."))
    )
  }

  // MARK: - Targets

  private func target(_ map: RigMap) throws(MapTargetError) -> MapPlan.Target {
    guard let (node, symbol) = RigLane.split(map.target) else {
      throw MapTargetError(message: RigMapError.target(map.target).description)
    }
    if ConnectionSpecifier.matches(node) { return try gain(node, symbol) }
    guard let index = planner.nodeIndex(of: node) ?? alike(node) else {
      throw MapTargetError(message: planner.unknownNode(node))
    }
    let (name, parameters) = (planner.nodes[index].name, planner.nodes[index].plugin.parameters)
    if let found = parameters.index(ofSymbol: symbol) {
      return .parameter(node: name, parameters[found])
    }
    switch symbol.lowercased() {
    case "bypass": return .bypass(node: name)
    case "wet": return .wet(node: name)
    default: throw MapTargetError(message: planner.unknownParameter(symbol, of: index))
    }
  }

  /// The only node with this name in another letter case.
  private func alike(_ name: String) -> Int? {
    let nodes = planner.nodes
    let found = nodes.indices.filter { nodes[$0].name.lowercased() == name.lowercased() }
    return found.count == 1 ? found[0] : nil
  }

  private func gain(
    _ node: String, _ symbol: String
  ) throws(MapTargetError) -> MapPlan.Target {
    guard symbol.lowercased() == "gain", let name = ConnectionSpecifier(node) else {
      throw MapTargetError(
        message: "a connection has only a gain. Write it as voice -> reverb.gain.")
    }
    switch name.index(among: planner.audioConnections) {
    case .success(let found): return .gain(connection: planner.rig.connections[found].label)
    case .failure(let fault): throw MapTargetError(message: fault.message)
    }
  }

  // MARK: - Ranges

  /// The usual range of a fader, in dB.
  private static let faderDecibels = (low: -60.0, high: 6.0)

  private func scale(
    of target: MapPlan.Target, _ map: RigMap
  ) throws(MapTargetError) -> MapScale {
    var scale =
      switch target {
      case .parameter(_, let parameter):
        MapScale(low: Double(parameter.minimum), high: Double(parameter.maximum))
      case .bypass, .action: MapScale(low: 0, high: 1)
      case .wet: MapScale(low: 0, high: 100)
      case .gain: MapScale(low: Self.faderDecibels.low, high: Self.faderDecibels.high)
      }
    if let range = map.range {
      let unit = Quantity(range.high)?.unit ?? ""
      scale.low = try value(range.low, unit, target)
      scale.high = try value(range.high, "", target)
    }
    if case .parameter(_, let parameter) = target {
      scale.isLogarithmic = parameter.scale == .logarithmic
    }
    if let curve = map.curve { scale.isLogarithmic = curve == .log }
    guard !scale.isLogarithmic || (scale.low > 0 && scale.high > 0) else {
      guard map.curve == .log else {
        scale.isLogarithmic = false
        return scale
      }
      throw MapTargetError(
        message: "log needs a range above 0, e.g. 20..20000. Change the range, or write linear.")
    }
    scale.stepCount = map.steps
    return scale
  }

  /// Parses an end of a range; a bare number has the unit of the other end.
  private func value(
    _ text: String, _ unit: String, _ target: MapPlan.Target
  ) throws(MapTargetError) -> Double {
    let text = Quantity(text)?.unit == "" ? "\(text) \(unit)".trimmed : text
    switch target {
    case .parameter(_, let parameter):
      switch ParameterValue.parse(text, for: parameter) {
      case .success(let parsed):
        guard parsed.note == nil else {
          let (low, high) = (parameter.minimum, parameter.maximum)
          throw MapTargetError(
            message:
              "the end \(text) of the range is not between \(parameter.spelling(of: low)) and"
              + " \(parameter.spelling(of: high)).")
        }
        return Double(parsed.value)
      case .failure(let error): throw MapTargetError(message: "\(error)")
      }
    case .bypass, .action:
      if let isOn = switchPosition(text) { return isOn ? 1 : 0 }
      throw MapTargetError(message: "invalid value for bypass: \(text). Use on or off.")
    case .wet:
      if let level = WetLevel(text) { return Double(level.value) * 100 }
      throw MapTargetError(message: "wet = \(text) \(WetLevel.errorMessage(text))")
    case .gain:
      if let gain = ConnectionGain(text), gain.decibels.isFinite { return Double(gain.decibels) }
      throw MapTargetError(message: "gain = \(text) \(ConnectionGain.errorMessage)")
    }
  }
}

/// The reason why a mapping has no target.
struct MapTargetError: Error {
  /// The message, starting in lower case.
  let message: String
}
