// RigPlanner+Automation.swift: automation lanes with resolved parameters. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigSchema

extension RigPlanner {
  /// Resolves all lanes of the rig.
  mutating func readLanes() {
    var lines: [String: Int] = [:]
    for written in rig.automation {
      if readGainLane(written, &lines) { continue }
      guard let index = nodeIndex(of: written.node) else {
        let known = nodes.map(\.name)
        let fault = DiagnosticKind.unknownNode(
          found: written.node, suggestion: nearest(to: written.node, among: known), known: known)
        report("\(fault)", written.position, "\(written.keyPath).parameter")
        continue
      }
      guard let place = nodes[index].plugin.parameters.place(of: written.symbol) else {
        report(
          unknownParameter(written.symbol, of: index), written.position,
          "\(written.keyPath).parameter")
        continue
      }
      let key = "\(index).\(place)"
      if let line = lines[key] {
        report(
          "\(written.node).\(written.symbol) already has a lane in line \(line). Remove"
            + " one.", written.position, "\(written.keyPath).parameter")
        continue
      }
      lines[key] = written.position.line
      if let lane = lane(written, place, nodes[index].plugin.parameters[place]) {
        nodes[index].lanes.append(lane)
        warnIfSteady(written, nodes[index].plugin.parameters[place])
      }
    }
  }

  /// Returns why the vendor does not allow automation.
  private mutating func warnIfSteady(_ written: RigLane, _ parameter: Parameter) {
    let words = parameter.traits.intersection([.notAutomatic, .expensive, .causesArtifacts]).names
    guard !words.isEmpty else { return }
    notes.append(
      "\(written.node).\(parameter.symbol) cannot be automated: its vendor marks it as"
        + " \(words.joined(separator: ", ")).")
  }

  private mutating func lane(
    _ written: RigLane, _ place: Int, _ parameter: Parameter
  ) -> AutomationLane? {
    var points: [AutomationLane.Point] = []
    for (index, point) in written.points.enumerated() {
      let keyPath = "\(written.keyPath).points[\(index + 1)]"
      let shape = point.shape ?? (parameter.moves ? .linear : .step)
      guard shape == .step || parameter.moves else {
        report(
          "\(written.node).\(parameter.symbol) has no values in between, so its shape cannot be"
            + " \(shape.rawValue). Use step.",
          point.position, keyPath)
        continue
      }
      guard let value = value(point.text, parameter, point.position, keyPath) else { continue }
      let next = AutomationLane.Point(time: point.time, value: value, shape: shape)
      // Only if the previous point is valid, because the shape depends on it.
      if shape == .exponential, points.count == index, let last = points.last,
        !(last.value * value > 0)
      {
        report(
          "an exponential ramp cannot go from \(parameter.written(last.value)) to"
            + " \(parameter.written(value)), because it cannot reach or cross 0. Use linear or a"
            + " value close to 0.", point.position, keyPath)
        continue
      }
      points.append(next)
    }
    guard points.count == written.points.count else { return nil }
    return AutomationLane(
      parameter: place, clock: written.clock, points: points, loop: written.loop,
      isWhole: parameter.scale == .integer)
  }

  /// Parses a value that must be legal as written.
  mutating func value(
    _ text: String, _ parameter: Parameter, _ position: SourcePosition, _ keyPath: String
  ) -> Float? {
    switch ParameterValue.parse(text, for: parameter) {
    case .success(let parsed) where parsed.note == nil: return parsed.value
    case .success:
      report(
        "\(parameter.symbol) = \(text.shortened) is not an allowed value. Allowed:"
          + " \(parameter.allowedValues).", position, keyPath)
    case .failure(let error): report("\(error)", position, keyPath)
    }
    return nil
  }
}

extension Parameter {
  /// Whether the parameter can ramp between values. [any]
  package var moves: Bool { !isEnumeration && scale != .toggle }
}
