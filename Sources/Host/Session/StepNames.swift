// StepNames.swift: the node of each render step, for fault messages. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Glibc
import Synchronization

/// The nodes of this process by the context of their steps.
enum StepNames {
  /// A node name in the rig, and its plugin.
  struct Node: Sendable, Equatable {
    var node: String
    var plugin: String
    /// The path of the library; empty if there is none.
    var library: String
  }

  // Removed nodes stay until their addresses are reused, because a thread can still be in one.
  private static let nodes = Mutex<[UInt: Node]>([:])
  private static let mostNodes = 10_000

  /// Returns the node of the step with this context; nil if unknown. [any but render]
  static func node(of context: UnsafeRawPointer?) -> Node? {
    guard let context else { return nil }
    return nodes.withLock { $0[UInt(bitPattern: context)] }
  }

  /// Adds the steps of nodes. [any but render]
  static func note(_ steps: [(context: UnsafeRawPointer, node: Node)]) {
    let all = nodes.withLock { nodes in
      if nodes.count > mostNodes { nodes = [:] }
      for step in steps { nodes[UInt(bitPattern: step.context)] = step.node }
      return nodes
    }
    var contexts: [UnsafeRawPointer] = []
    var texts: [(library: UnsafePointer<CChar>, owner: UnsafePointer<CChar>)] = []
    for (context, node) in all {
      guard let context = UnsafeRawPointer(bitPattern: context), let library = strdup(node.library),
        let owner = strdup("\(node.plugin) (\(node.node))")
      else { continue }
      contexts.append(context)
      texts.append((UnsafePointer(library), UnsafePointer(owner)))
    }
    crts_name_subjects(contexts, texts.map(\.library), texts.map(\.owner), UInt32(texts.count))
    for text in texts {
      free(UnsafeMutablePointer(mutating: text.library))
      free(UnsafeMutablePointer(mutating: text.owner))
    }
  }
}
