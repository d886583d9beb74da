// RigWriter+Nested.swift: rigs within a rig, written as the nodes that they were. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension RigWriter {
  /// All nodes that the rig's own file names, in their order.
  static func nodes(of rig: RigDescription, _ names: [String: String]) -> [String] {
    var lines: [String] = []
    var waiting = rig.nested.filter(\.isOutermost)
    for node in rig.nodes {
      if node.origin == nil {
        lines += self.node(node, names)
      } else if let index = waiting.firstIndex(where: { node.name.hasPrefix($0.prefix) }) {
        lines += self.node(waiting.remove(at: index), of: rig)
      }
    }
    // Those without any nodes.
    return lines + waiting.flatMap { node($0, of: rig) }
  }

  /// Writes a nested rig, with the changes to its nodes.
  static func node(_ nested: NestedRig, of rig: RigDescription) -> [String] {
    var lines = [
      "  \(YAMLText.scalar(nested.name)):", "    rig: \(YAMLText.scalar(nested.written))",
    ]
    lines += bypassLines((nested.isBypassed, nested.wetLevel), before: (false, 1))
    let changes = self.changes(within: nested, of: rig)
    if !changes.isEmpty { lines += ["    nodes:"] + changes.map { "      " + $0 } }
    return lines
  }

  /// The lines below `nodes` for one rig within, without their indentation.
  private static func changes(within nested: NestedRig, of rig: RigDescription) -> [String] {
    func local(_ name: String) -> String? {
      guard name.hasPrefix(nested.prefix) else { return nil }
      let rest = name.dropFirst(nested.prefix.count)
      return rest.contains("/") ? nil : String(rest)
    }
    var lines: [String] = []
    for node in rig.nodes {
      guard let name = local(node.name), let origin = node.origin else { continue }
      var written = bypassLines(
        (node.isBypassed, node.wetLevel), before: (origin.isBypassed, origin.wetLevel))
      for (now, before) in [(node.preset, origin.preset), (node.state, origin.state)] {
        if let now, now != before {
          written.append("    \(now.key): \(YAMLText.scalar(now.text))")
        }
      }
      written += values("parameters", node.parameters.filter { !origin.parameters.contains($0) })
      written += values("properties", node.properties.filter { !origin.properties.contains($0) })
      guard !written.isEmpty else { continue }
      lines += ["\(YAMLText.scalar(name)):"] + written.map { String($0.dropFirst(2)) }
    }
    for deeper in rig.nested {
      guard let name = local(deeper.name) else { continue }
      var written = bypassLines(
        (deeper.isBypassed, deeper.wetLevel),
        before: (deeper.origin.isBypassed, deeper.origin.wetLevel)
      ).map { String($0.dropFirst(2)) }
      let changes = self.changes(within: deeper, of: rig)
      if !changes.isEmpty { written += ["  nodes:"] + changes.map { "    " + $0 } }
      guard !written.isEmpty else { continue }
      lines += ["\(YAMLText.scalar(name)):"] + written
    }
    return lines
  }

  /// Writes wet level and bypass if they differ from the original.
  static func bypassLines(
    _ now: (isBypassed: Bool, wet: Float), before: (isBypassed: Bool, wet: Float)
  ) -> [String] {
    var lines: [String] = []
    if now.isBypassed != before.isBypassed { lines.append("    bypass: \(now.isBypassed)") }
    if now.wet != before.wet { lines.append("    wet: \(WetLevel.spelling(of: now.wet))") }
    return lines
  }
}
