// RigPlanner+Lanes.swift: automation lanes of parameters and gains. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import PluginModel
import RenderGraph
import RigSchema

extension RigPlanner {
  /// Resolves a lane that does not automate a parameter; returns false for one that does.
  mutating func readGainLane(_ written: RigLane, _ lines: inout [String: Int]) -> Bool {
    let keyPath = "\(written.keyPath).parameter"
    guard let target = gainTarget(written) else { return false }
    guard case .success(let (key, kind)) = target else {
      if case .failure(let error) = target { report(error.message, written.position, keyPath) }
      return true
    }
    if let line = lines[key] {
      report(
        "\(written.node).\(written.symbol) already has a lane in line \(line). Remove"
          + " one.", written.position, keyPath)
      return true
    }
    lines[key] = written.position.line
    if let lane = lane(written, kind) { gainLanes[key] = GainLane(name: key, lane: lane) }
    return true
  }

  /// The unique key of a connection.
  static func key(of connection: RigConnection) -> String {
    "connection \(connection.keyPath) \(connection.scope)"
  }

  private enum Kind {
    case wet, bypass, gain
  }

  private struct UnknownTargetError: Error {
    let message: String
  }

  /// The target of a lane; nil for a parameter.
  private func gainTarget(_ written: RigLane) -> Result<
    (key: String, kind: Kind), UnknownTargetError
  >? {
    let symbol = written.symbol.lowercased()
    if written.node.contains("->") { return connection(written).map { ($0, .gain) } }
    guard let kind: Kind = symbol == "wet" ? .wet : symbol == "bypass" ? .bypass : nil else {
      return nil
    }
    let inside = written.node.split(separator: ".").joined(separator: "/")
    if let nested = rig.nested.first(where: { $0.name == written.node || $0.name == inside }) {
      return .success(("\(nested.name).\(symbol)", kind))
    }
    guard let index = nodeIndex(of: written.node),
      nodes[index].plugin.parameters.index(ofSymbol: written.symbol) == nil
    else { return nil }
    return .success(("\(nodes[index].name).\(symbol)", kind))
  }

  /// Returns the connection written as `voice -> reverb`, with channels if the rig has them.
  private func connection(_ written: RigLane) -> Result<String, UnknownTargetError> {
    func fail(_ message: String) -> Result<String, UnknownTargetError> {
      .failure(UnknownTargetError(message: message))
    }
    guard written.symbol.lowercased() == "gain" else {
      return fail("only the gain of a connection can be automated. Write \"\(written.node).gain\".")
    }
    guard let name = ConnectionSpecifier(written.node) else {
      return fail("\"\(written.node)\" is not a connection. Write it as \"voice -> reverb.gain\".")
    }
    let connection: RigConnection
    switch name.index(among: audioConnections) {
    case .success(let found): connection = rig.connections[found]
    case .failure(let fault): return fail(fault.message)
    }
    let alike = rig.connections.filter { Self.key(of: $0) == Self.key(of: connection) }
    guard alike.count == 1 else {
      return fail(
        "\(name.from) -> \(name.to) is part of a chain, which has no gain. Write it as a"
          + " separate connection: {from: \(name.from), to: \(name.to)}.")
    }
    return .success(Self.key(of: connection))
  }

  /// The audio connections of the top-level rig, with their indices.
  var audioConnections: [(index: Int, connection: RigConnection)] {
    rig.connections.enumerated().filter { $1.scope.isEmpty && !carriesMIDI($1) }
      .map { (index: $0, connection: $1) }
  }

  /// The descriptions of all connections, in rig order.
  func plannedConnections() -> [RigPlan.PlannedConnection] {
    var times: [String: Int] = [:]
    let connections = audioConnections
    for (_, connection) in connections { times[connection.label, default: 0] += 1 }
    var result = rig.connections.map { _ in RigPlan.PlannedConnection() }
    for (connectionIndex, connection) in connections {
      if times[connection.label] == 1 { result[connectionIndex].name = connection.label }
      let key = Self.key(of: connection)
      if gainLanes[key] != nil { result[connectionIndex].lane = key }
    }
    return result
  }

  // MARK: - Points

  /// All values are linear gains, so equal steps in decibels are equal ratios.
  private mutating func lane(_ written: RigLane, _ kind: Kind) -> AutomationLane? {
    var points: [AutomationLane.Point] = []
    for (index, point) in written.points.enumerated() {
      let keyPath = "\(written.keyPath).points[\(index + 1)]"
      let value: Float
      switch gain(point.text, kind) {
      case .success(let gain): value = gain
      case .failure(let error):
        report(error.message, point.position, keyPath)
        continue
      }
      guard let shape = shape(point, kind, keyPath, from: points.last?.value, to: value) else {
        continue
      }
      points.append(AutomationLane.Point(time: point.time, value: value, shape: shape))
    }
    guard points.count == written.points.count else { return nil }
    return AutomationLane(parameter: 0, clock: written.clock, points: points, loop: written.loop)
  }

  private func gain(_ text: String, _ kind: Kind) -> Result<Float, UnknownTargetError> {
    switch kind {
    case .wet:
      guard let level = WetLevel(text) else {
        return .failure(
          UnknownTargetError(message: "wet = \(text.shortened) \(WetLevel.errorMessage(text))"))
      }
      return .success(level.value)
    case .bypass:
      guard let isOn = switchPosition(text) else {
        return .failure(
          UnknownTargetError(
            message: "invalid value for bypass: \(text.shortened). Use on or"
              + " off."))
      }
      return .success(isOn ? 0 : 1)
    case .gain:
      guard let gain = ConnectionGain(text) else {
        return .failure(
          UnknownTargetError(message: "gain = \(text.shortened) \(ConnectionGain.errorMessage)"))
      }
      return .success(Float(pow(10, Double(gain.decibels) / 20)))
    }
  }

  private mutating func shape(
    _ point: RigLane.Point, _ kind: Kind, _ keyPath: String, from last: Float?, to value: Float
  ) -> AutomationLane.Shape? {
    switch kind {
    case .bypass:
      guard (point.shape ?? .step) == .step else {
        report(
          "bypass is a switch, so its shape cannot be \(point.shape?.rawValue ?? ""). Use"
            + " step.", point.position, keyPath)
        return nil
      }
      return .step
    case .wet:
      if point.shape == .exponential, let last, !(last * value > 0) {
        report(
          "an exponential ramp cannot start or end at 0 %. Use linear or a value close to 0.",
          point.position, keyPath)
        return nil
      }
      return point.shape ?? .linear
    case .gain:
      guard point.shape != .exponential else {
        report(
          "a gain in decibels is exponential already. Use linear or remove the shape.",
          point.position, keyPath)
        return nil
      }
      if point.shape == .step { return .step }
      return value > 0 && (last ?? 0) > 0 ? .exponential : .linear
    }
  }
}

extension RigPlanner {
  /// Resolves all lanes of the rig.
  mutating func readLanes() {
    var lines: [String: Int] = [:]
    for written in rig.automation {
      if readGainLane(written, &lines) { continue }
      guard let index = nodeIndex(of: written.node) else {
        report(
          unknownNode(written.node), written.position, "\(written.keyPath).parameter")
        continue
      }
      guard let parameterIndex = nodes[index].plugin.parameters.index(ofSymbol: written.symbol)
      else {
        report(
          unknownParameter(written.symbol, of: index), written.position,
          "\(written.keyPath).parameter")
        continue
      }
      let key = "\(index).\(parameterIndex)"
      if let line = lines[key] {
        report(
          "\(written.node).\(written.symbol) already has a lane in line \(line). Remove"
            + " one.", written.position, "\(written.keyPath).parameter")
        continue
      }
      lines[key] = written.position.line
      if let lane = lane(written, parameterIndex, nodes[index].plugin.parameters[parameterIndex]) {
        nodes[index].lanes.append(lane)
        warnIfSteady(written, nodes[index].plugin.parameters[parameterIndex])
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
    _ written: RigLane, _ parameterIndex: Int, _ parameter: Parameter
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
      parameter: parameterIndex, clock: written.clock, points: points, loop: written.loop,
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
