// ScenePlan.swift: scenes with resolved parameters. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigSchema

/// A scene of a plan.
package struct ScenePlan: Sendable, Equatable {
  /// A value of a node in a scene.
  package struct Setting: Sendable, Equatable {
    /// The target and value.
    package enum Target: Sendable, Equatable {
      /// A parameter, by index in the plugin's `parameters`, and a legal value.
      case parameter(Int, Float)
      /// The bypass switch.
      case bypass(Bool)
      /// The wet level, 0 to 1.
      case wet(Float)
    }

    /// The index of the node in the plan.
    package var node: Int
    /// The new value.
    package var what: Target
  }

  /// A connection gain in a scene.
  package struct GainSetting: Sendable, Equatable {
    /// The index of the connection in the rig.
    package var connection: Int
    /// The gain in dB; minus infinity for silence.
    package var decibels: Float
  }

  /// The name.
  package var name: String
  /// The default morph time in seconds; nil for an immediate change.
  package var overSeconds: Double?
  /// The MIDI program that recalls it, 1 to 128; nil for none.
  package var program: Int?
  /// The node values, in file order.
  package var settings: [Setting]
  /// The connection gains, in file order.
  package var gains: [GainSetting] = []
}

extension RigPlanner {
  /// Resolves all scenes of the rig.
  mutating func readScenes() {
    for scene in rig.scenes {
      var planned = ScenePlan(
        name: scene.name, overSeconds: scene.overSeconds, program: scene.program,
        settings: [])
      for value in scene.values {
        let keyPath = "\(scene.keyPath).\(value.symbol)"
        if ConnectionSpecifier.matches(value.symbol) {
          switch gain(value) {
          case .success(let setting): planned.gains.append(setting)
          case .failure(let fault): report(fault.message, value.position, keyPath)
          }
          continue
        }
        guard let target = RigLane.split(value.symbol), let index = nodeIndex(of: target.node)
        else {
          let name = RigLane.split(value.symbol)?.node ?? ""
          report(unknownNode(name), value.position, keyPath)
          continue
        }
        if let what = setting(target.symbol, value, of: index, keyPath) {
          planned.settings.append(ScenePlan.Setting(node: index, what: what))
        }
      }
      scenes.append(planned)
    }
  }

  /// Returns a message about a name that is not that of a node.
  @inline(never)
  func unknownNode(_ name: String) -> String {
    let (known, path) = (nodes.map(\.name), name.split(separator: ".").joined(separator: "/"))
    if rig.nested.contains(where: { $0.name == path }) {
      return "\(name) is a nested rig. Name a node in it, as in \(name).NODE."
    }
    let fault = DiagnosticKind.unknownNode(
      found: name, suggestion: nearest(to: name, among: known), known: known)
    return "\(fault)"
  }

  private func gain(
    _ written: RigParameter
  ) -> Result<ScenePlan.GainSetting, ConnectionSpecifier.Fault> {
    guard let (text, symbol) = RigLane.split(written.symbol), symbol.lowercased() == "gain",
      let name = ConnectionSpecifier(text)
    else {
      return .failure(
        .init(
          message: "\"\(written.symbol.shortened)\" is not a gain of a connection. Write it as"
            + " \"voice -> reverb.gain\"."))
    }
    return name.index(among: audioConnections).flatMap { position in
      guard let gain = ConnectionGain(written.text) else {
        return .failure(
          .init(message: "gain = \(written.text.shortened) \(ConnectionGain.errorMessage)"))
      }
      return .success(.init(connection: position, decibels: gain.decibels))
    }
  }

  private mutating func setting(
    _ symbol: String, _ written: RigParameter, of index: Int, _ keyPath: String
  ) -> ScenePlan.Setting.Target? {
    guard let position = nodes[index].plugin.parameters.index(ofSymbol: symbol) else {
      switch symbol.lowercased() {
      case "bypass":
        if let isOn = switchPosition(written.text) { return .bypass(isOn) }
        report(
          "invalid value for bypass: \(written.text.shortened). Use on or"
            + " off.", written.position, keyPath)
      case "wet":
        if let level = WetLevel(written.text) { return .wet(level.value) }
        report(
          "wet = \(written.text.shortened) is out of range (0 % to 100 %).",
          written.position, keyPath)
      default: report(unknownParameter(symbol, of: index), written.position, keyPath)
      }
      return nil
    }
    let value = value(
      written.text, nodes[index].plugin.parameters[position], written.position, keyPath)
    return value.map { .parameter(position, $0) }
  }
}
