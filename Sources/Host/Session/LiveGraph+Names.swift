// LiveGraph+Names.swift: names of nodes for fault reports. SPDX-License-Identifier: MIT

import Builtins
import PluginModel
import RenderGraph
import RigPlanning

extension LiveGraph {
  /// Node names by the state that a step processes, for the latest render sequence. [main]
  var contextNames: [(context: UnsafeRawPointer, name: String)] {
    let others = feedbackSuppressor.map { [(ObjectIdentifier($0), "feedback suppression")] } ?? []
    return unsafe Self.names(of: editor.contexts, members, others)
  }

  /// Names by the state of members and of other processors. [main]
  static func names(
    of contexts: [(node: any Node, context: UnsafeRawPointer)], _ members: [BuiltRig.BuiltNode],
    _ others: [(node: ObjectIdentifier, name: String)] = []
  ) -> [(context: UnsafeRawPointer, name: String)] {
    var names: [ObjectIdentifier: String] = [:]
    for member in members {
      for node in member.nodes { names[ObjectIdentifier(node)] = member.name }
    }
    for other in others { names[other.node] = other.name }
    return unsafe contexts.compactMap { node, context in
      unsafe names[ObjectIdentifier(node)].map { unsafe (context, $0) }
    }
  }
}
