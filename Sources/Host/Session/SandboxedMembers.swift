// SandboxedMembers.swift: the nodes of a rig that run in sandboxes. SPDX-License-Identifier: MIT

package import Isolation
import PluginModel
import RigPlanning

/// A request that the sandbox of a node has refused.
package struct NodeRefusal: Sendable, Equatable {
  /// The node's name in the rig.
  package var node: String
  /// The name of its plugin.
  package var plugin: String
  /// The kind of request and its details.
  package var refusal: SandboxRefusal

  /// The kind of the request as a word. [any]
  package var request: String { refusal.kind.rawValue }
  /// The system call; nil if unknown. [any]
  package var call: String? { refusal.call }
  /// The file; nil if there is none, or it is unknown. [any]
  package var path: String? { refusal.path }

  /// The message about the refusal. [any]
  package var text: String {
    let who = node == plugin ? node : "\(node) (\(plugin))"
    return
      "\(who) was refused: it \(refusal.text). Use `sandbox: off` only if you trust the plugin."
  }
}

extension [BuiltRig.BuiltNode] {
  /// Returns what the sandboxes have refused since the last call, each kind once for each node. [main]
  func takeRefusals() -> [NodeRefusal] {
    flatMap { member in
      var kinds: Set<SandboxRefusal.Kind> = []
      return member.nodes.flatMap { node in
        node.capabilities[IsolatedNode.self]?.takeRefusals() ?? []
      }.filter { kinds.insert($0.kind).inserted }.map {
        NodeRefusal(node: member.name, plugin: member.plugin.name, refusal: $0)
      }
    }
  }

  /// Messages about protection that the kernel does not support, so that the sandboxes lack it. [main]
  var sandboxGaps: [String] {
    compactMap { member in
      member.nodes.first?.capabilities[IsolatedNode.self]?.sandboxParts?.gap(of: member.name)
    }
  }
}

extension BuiltRig.BuiltNode {
  /// Whether a node may not read the file of one of these properties in its sandbox. [main]
  func needsOtherSandbox(_ properties: [(index: Int, value: PropertyValue)]) -> Bool {
    nodes.contains { node in
      guard let isolated = node.capabilities[IsolatedNode.self] else { return false }
      return !properties.allSatisfy { isolated.canRead($0.value) }
    }
  }
}
