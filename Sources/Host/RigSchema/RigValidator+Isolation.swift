// RigValidator+Isolation.swift: names of worker processes that are probably misspelt. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension RigValidator {
  /// Reports a group with one node whose name is similar to that of another group.
  func warnSimilarGroups() {
    var members: [String: [RigNode]] = [:]
    for node in rig.nodes {
      if case .group(let name) = node.isolation.process { members[name, default: []].append(node) }
    }
    for (name, nodes) in members where nodes.count == 1 {
      let others = members.keys.filter { $0 != name }.sorted()
      guard let suggestion = nearest(to: name, among: others), (members[suggestion]?.count ?? 0) > 1
      else {
        continue
      }
      diagnostics.warn(
        .reported(
          message:
            "\(nodes[0].name) is the only node in the group \(name). Did you mean \(suggestion)?"),
        at: nodes[0].position, keyPath: "\(nodes[0].keyPath).isolate")
    }
  }
}
