// PreparedRig+Scenes.swift: a rig that starts with one of its scenes. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigSchema

extension PreparedRig {
  /// Returns the rig with the values of a scene; automated values start with their lane. [any]
  ///
  /// - Parameter name: the name of the scene, ignoring case.
  /// - Returns: the rig without scenes.
  /// - Throws: `SetValueError` if no such scene exists.
  package func applyingScene(_ name: String) throws(SetValueError) -> PreparedRig {
    let scene = rig.scenes[try Self.place(ofScene: name, among: rig.scenes.map(\.name))]
    var result = self
    for value in scene.values {
      if let gain = gain(value) {
        result.rig.connections[gain.place].gainDecibels = gain.decibels
        continue
      }
      // The values were checked when the rig was prepared.
      guard let (node, symbol) = RigLane.split(value.symbol),
        let index = rig.nodes.firstIndex(where: {
          $0.name == node || $0.name == node.split(separator: ".").joined(separator: "/")
        })
      else { continue }
      guard plugins[index].parameters.place(of: symbol) == nil else {
        result.rig.nodes[index].parameters.append(
          RigParameter(symbol: symbol, text: value.text, position: value.position))
        continue
      }
      guard let hand = try? BypassSettings([(symbol, value.text)], of: value.symbol) else {
        continue
      }
      if let wet = hand.wet { result.rig.nodes[index].wetShare = wet }
      if let isBypassed = hand.isBypassed { result.rig.nodes[index].isBypassed = isBypassed }
    }
    return result
  }

  /// Returns the change that a scene value makes to a connection; nil if it belongs to a node.
  private func gain(_ value: RigParameter) -> (place: Int, decibels: Float)? {
    guard let (text, _) = RigLane.split(value.symbol), let name = ConnectionSpecifier(text),
      let gain = ConnectionGain(value.text),
      case .success(let place) = name.place(
        among: rig.connections.enumerated().filter { !$1.carriesMIDI }.map { ($0, $1) })
    else { return nil }
    return (place, gain.decibels)
  }

  /// Returns the index of a scene by name, ignoring case.
  ///
  /// - Throws: `SetValueError` if no such scene exists.
  static func place(ofScene name: String, among names: [String]) throws(SetValueError) -> Int {
    if let exact = names.firstIndex(of: name) { return exact }
    let close = names.indices.filter { names[$0].lowercased() == name.lowercased() }
    if close.count == 1 { return close[0] }
    guard !names.isEmpty else {
      throw SetValueError(messages: [
        "This rig has no scenes. To store one, run `outboard scene --store \(name)`."
      ])
    }
    let hint =
      nearest(to: name, among: names).map { "did you mean \($0)?" }
      ?? "known scenes: \(names.joined(separator: ", "))."
    throw SetValueError(messages: ["No such scene: \(name); \(hint)"])
  }
}
