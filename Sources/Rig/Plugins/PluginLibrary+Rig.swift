// PluginLibrary+Rig.swift: the plugins that a rig names. SPDX-License-Identifier: MIT

import Builtins
package import PluginModel

extension PluginLibrary {
  /// Describes every node of a rig, in its order. [main]
  ///
  /// - Throws: `ManifestError` with every node whose plugin is not there, each in its place.
  package func find(nodesOf rig: RigDescription) throws(ManifestError) -> [PluginDescription] {
    var found: [PluginDescription] = []
    var findings: [ManifestFinding] = []
    for node in rig.nodes {
      do {
        found.append(try find(node, in: rig))
      } catch let mistake as Mistake {
        findings.append(mistake.finding(in: rig.file))
      } catch {
        findings.append(
          Mistake(
            position: node.sourcePosition, keyPath: "\(node.keyPath).plugin",
            fault: .reported(sentence: "\(error)")
          ).finding(in: rig.file))
      }
    }
    guard findings.isEmpty else { throw ManifestError(findings) }
    return found
  }

  private func find(_ node: RigNode, in rig: RigDescription) throws -> PluginDescription {
    switch node.source {
    case .plugin(let name): return try find(Self.resolved(name, in: rig))
    case .builtin(let word):
      guard let builtin = Builtin(rawValue: word) else {
        let known = Builtin.allCases.map(\.rawValue)
        throw Mistake(
          position: node.sourcePosition, keyPath: "\(node.keyPath).builtin",
          fault: .unknownWord(
            found: word, suggestion: nearest(to: word, among: known), known: known))
      }
      return builtin.description(channelCount: try channelCount(node))
    }
  }

  /// A path in a rig is seen from the rig's folder, so that a rig can be moved with its modules.
  private static func resolved(_ name: String, in rig: RigDescription) -> String {
    isPath(name) ? rig.path(name) : name
  }

  private func channelCount(_ node: RigNode) throws -> Int {
    var count = 2
    for setting in node.settings {
      func mistake(_ fault: ManifestFault) -> Mistake {
        Mistake(
          position: setting.position, keyPath: "\(node.keyPath).\(setting.key)", fault: fault)
      }
      guard setting.key == "channels" else {
        throw mistake(.unknownKey(suggestion: nil, known: ["builtin", "channels", "parameters"]))
      }
      guard let number = Int(setting.text), Builtin.channelCounts ~= number else {
        throw mistake(
          .outOfRange(
            found: setting.text, least: "\(Builtin.channelCounts.lowerBound)",
            greatest: "\(Builtin.channelCounts.upperBound)"))
      }
      count = number
    }
    return count
  }

  /// What is wrong with one key of a node.
  struct Mistake: Error {
    let position: SourcePosition
    let keyPath: String
    let fault: ManifestFault

    func finding(in file: String) -> ManifestFinding {
      ManifestFinding(file: file, position: position, keyPath: keyPath, fault: fault)
    }
  }
}
