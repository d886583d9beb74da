// PluginLibrary+Rig.swift: the plugins that a rig names. SPDX-License-Identifier: MIT

import Builtins
import Foundation
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
      } catch {
        findings.append(finding(error, node, rig))
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
        let known = Builtin.allCases.map(\.rawValue).joined(separator: ", ")
        throw Sentence(
          nearest(to: word, among: Builtin.allCases.map(\.rawValue)).map {
            "there is no built-in \(word); did you mean \($0)?"
          } ?? "there is no built-in \(word); there are \(known).")
      }
      return builtin.description(channelCount: try channelCount(node))
    }
  }

  /// A path in a rig is seen from the rig's folder, so that a rig can be moved with its modules.
  private static func resolved(_ name: String, in rig: RigDescription) -> String {
    guard name.hasPrefix("./") || name.hasPrefix("../"), rig.file.contains("/") else { return name }
    return URL(fileURLWithPath: rig.file).deletingLastPathComponent().path + "/" + name
  }

  private func channelCount(_ node: RigNode) throws -> Int {
    var count = 2
    for setting in node.settings {
      guard setting.key == "channels" else {
        throw Sentence("\(setting.key): unknown key; a built-in takes channels and parameters.")
      }
      guard let number = Int(setting.text), Builtin.channelCounts ~= number else {
        throw Sentence("channels: \(setting.text) is no number from 1 to 64.")
      }
      count = number
    }
    return count
  }

  private func finding(
    _ error: any Error, _ node: RigNode, _ rig: RigDescription
  ) -> ManifestFinding {
    ManifestFinding(
      file: rig.file, position: node.sourcePosition, keyPath: "\(node.keyPath).plugin",
      fault: .reported(sentence: "\(error)"))
  }

  /// A mistake that is nothing but what is said of it.
  private struct Sentence: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
