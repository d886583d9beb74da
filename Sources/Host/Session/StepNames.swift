// StepNames.swift: the node of each render step and call, for fault messages. SPDX-License-Identifier: MIT

import CRealtimeSafety
import Glibc
import PluginModel
import Synchronization

/// The nodes of this process by the context of their steps.
enum StepNames {
  /// A node name in the rig, and its plugin.
  struct Node: Sendable, Equatable {
    /// The name of the node; empty if unknown.
    var node: String
    /// How messages call the plugin.
    var plugin: String
    /// The path of the library; empty if there is none.
    var library: String

    /// The name of the node; nil if unknown.
    var name: String? { node.isEmpty ? nil : node }

    /// The plugin with its node, as the beginning of a message.
    var words: String { node.isEmpty ? plugin : "\(plugin) (\(node))" }
  }

  // Removed nodes stay until their addresses are reused, because a thread can still be in one.
  private static let nodes = Mutex<[UInt: Node]>([:])
  private static let maximumNodeCount = 10_000
  /// The latest nodes by name, which name the plugin of a call.
  ///
  /// Removed nodes stay, because they are destroyed later.
  private static let nodesByName = Mutex<[String: Node]>([:])

  /// Returns the node of the step with this context, or of the call with this record; nil if unknown. [any but render]
  static func node(of context: UnsafeRawPointer?) -> Node? {
    guard let context = unsafe context else { return nil }
    if let call = ForeignCode.call(of: UInt(bitPattern: context)) { return node(of: call.owner) }
    return nodes.withLock { $0[UInt(bitPattern: context)] }
  }

  private static func node(of owner: ForeignCode.Owner) -> Node {
    let known = nodesByName.withLock { names in
      // A library is loaded and unloaded for all of its nodes.
      owner.node.map { names[$0] }
        ?? names.values.filter { $0.library == owner.plugin }.min { $0.node < $1.node }
    }
    return known ?? Node(node: owner.node ?? "", plugin: owner.plugin, library: "")
  }

  /// Adds the steps of nodes. [any but render]
  static func note(_ steps: [(context: UnsafeRawPointer, node: Node)]) {
    let all = nodes.withLock { nodes in
      if nodes.count > maximumNodeCount { nodes = [:] }
      unsafe steps.forEach { unsafe nodes[UInt(bitPattern: $0.context)] = $0.node }
      return nodes
    }
    nodesByName.withLock { names in
      if names.count > maximumNodeCount { names = [:] }
      unsafe steps.forEach { unsafe names[$0.node.node] = $0.node }
    }
    var contexts: [UnsafeRawPointer] = unsafe []
    var texts: [(library: UnsafePointer<CChar>, owner: UnsafePointer<CChar>)] = unsafe []
    for (context, node) in all {
      guard let context = unsafe UnsafeRawPointer(bitPattern: context),
        let library = unsafe strdup(node.library),
        let owner = unsafe strdup("\(node.plugin) (\(node.node))")
      else { continue }
      unsafe contexts.append(context)
      unsafe texts.append((UnsafePointer(library), UnsafePointer(owner)))
    }
    unsafe crts_name_subjects(
      contexts, texts.map(\.library), texts.map(\.owner), UInt32(texts.count))
    unsafe texts.forEach { text in
      unsafe free(UnsafeMutablePointer(mutating: text.library))
      unsafe free(UnsafeMutablePointer(mutating: text.owner))
    }
  }
}
