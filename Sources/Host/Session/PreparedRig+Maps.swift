// PreparedRig+Maps.swift: MIDI mappings that survive a reload of the rig. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RenderGraph
package import RigPlanning
package import RigSchema

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
        messages: error.findings.map { "\(map.target): \($0.fault)" })
    }
  }
}
