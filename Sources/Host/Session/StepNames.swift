// StepNames.swift: the node that each step of a program belongs to, for fault messages. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Glibc
import Synchronization

/// The nodes of this process, by the contexts of their steps.
enum StepNames {
  /// A node, by its name in the rig, and its plugin.
  struct Node: Sendable, Equatable {
    var node: String
    var plugin: String
    /// The path of its library; empty for none.
    var library: String
  }

  // Nodes that have gone are kept until their addresses are used again: a thread may still be in one.
  private static let nodes = Mutex<[UInt: Node]>([:])
  private static let mostNodes = 10_000

  /// The node whose step has this context; nil where it is not known. [any but render]
  static func node(of context: UnsafeRawPointer?) -> Node? {
    guard let context else { return nil }
    return nodes.withLock { $0[UInt(bitPattern: context)] }
  }

  /// Notes whose steps there are. [any but render]
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
