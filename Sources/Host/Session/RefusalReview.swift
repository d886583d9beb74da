// RefusalReview.swift: reports each kind of refusal once for each node. SPDX-License-Identifier: MIT

import Isolation
import PluginModel
import RigPlanning

/// Reports each kind of refusal once for each node of a session, although nodes are re-created. [main]
final class RefusalReview {
  private struct Key: Hashable {
    var node: String
    var plugin: String
    var kind: SandboxRefusal.Kind
  }

  private var reported: Set<Key> = []

  /// Returns the refusals that were not reported yet.
  func take(from members: [BuiltRig.BuiltNode]) -> [NodeRefusal] {
    members.takeRefusals().filter {
      reported.insert(Key(node: $0.node, plugin: $0.plugin, kind: $0.refusal.kind)).inserted
    }
  }
}
