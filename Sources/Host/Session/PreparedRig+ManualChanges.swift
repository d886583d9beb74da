// PreparedRig+ManualChanges.swift: manual changes that survive a reload of the rig. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigSchema

extension PreparedRig {
  /// Returns this rig with the manual changes to another rig, except where this rig has a new value.
  func preservingManualChanges(from now: PreparedRig, since written: PreparedRig) -> PreparedRig {
    func node(_ name: String, _ rig: PreparedRig) -> RigNode? {
      rig.rig.nodes.first { $0.name == name }
    }
    var result = self
    for index in result.rig.nodes.indices {
      let new = rig.nodes[index]
      guard let old = node(new.name, written), let set = node(new.name, now),
        new.source == old.source
      else { continue }
      if new.wetLevel == old.wetLevel { result.rig.nodes[index].wetLevel = set.wetLevel }
      if new.isBypassed == old.isBypassed { result.rig.nodes[index].isBypassed = set.isBypassed }
      let isRepeated =
        new.properties.map(\.symbol) == old.properties.map(\.symbol)
        && new.properties.map(\.text) == old.properties.map(\.text)
      if isRepeated { result.rig.nodes[index].properties = set.properties }
    }
    for index in result.rig.nested.indices {
      let new = rig.nested[index]
      guard let old = written.rig.nested.first(where: { $0.name == new.name }),
        let set = now.rig.nested.first(where: { $0.name == new.name })
      else { continue }
      if new.wetLevel == old.wetLevel { result.rig.nested[index].wetLevel = set.wetLevel }
      if new.isBypassed == old.isBypassed { result.rig.nested[index].isBypassed = set.isBypassed }
    }
    for index in result.rig.connections.indices {
      let new = rig.connections[index]
      guard let old = written.rig.connections.first(where: new.isAlike),
        let set = now.rig.connections.first(where: new.isAlike),
        new.gainDecibels == old.gainDecibels
      else { continue }
      result.rig.connections[index].gainDecibels = set.gainDecibels
    }
    let known = (result.rig.scenes + written.rig.scenes).map(\.name)
    result.rig.scenes += now.rig.scenes.filter { !known.contains($0.name) }.map(
      result.removingUnknownTargets)
    result.rig.maps = result.maps(preserving: now, since: written)
    return result
  }

  /// Returns a stored scene without values for nodes that the rig no longer has, which the user could not remove.
  private func removingUnknownTargets(_ scene: RigScene) -> RigScene {
    var result = scene
    result.values.removeAll { value in
      guard let (name, symbol) = RigLane.split(value.symbol) else { return false }
      if let connection = ConnectionSpecifier(name) {
        let known = rig.connections.enumerated().filter { !$1.carriesMIDI }
        return (try? connection.index(among: known.map { ($0, $1) }).get()) == nil
      }
      guard let index = rig.nodes.firstIndex(where: { $0.name == name }) else { return true }
      return plugins[index].parameters.index(ofSymbol: symbol) == nil
        && !["bypass", "wet"].contains(symbol.lowercased())
    }
    return result
  }
}
