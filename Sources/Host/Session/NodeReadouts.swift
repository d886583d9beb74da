// NodeReadouts.swift: what the nodes of a rig measure. SPDX-License-Identifier: MIT

package import PluginModel
import RenderGraph
import Rig

/// What a node of a rig tells of itself, or of the sound.
package struct NodeReadouts: Sendable, Equatable {
  /// The node's name, with its number where it runs side by side.
  package var node: String
  /// What it is.
  package var plugin: PluginDescription
  /// A value for each of the plugin's readouts, in its unit.
  package var values: [Float]
}

extension [BuiltRig.BuiltNode] {
  /// Every instance that has readouts, with what it told last. [main, while rendering too]
  func readouts() -> [NodeReadouts] {
    flatMap { member in
      member.instances.compactMap { name, node in
        guard !member.plugin.readouts.isEmpty, let node = node.inside as? any ReadoutNode else {
          return nil
        }
        return NodeReadouts(
          node: name, plugin: member.plugin,
          values: member.plugin.readouts.indices.map(node.readout))
      }
    }
  }

  /// Brings all readouts up to the last block. [main, not rendering]
  func refreshReadouts() {
    for case let node as any ReadoutNode in flatMap(\.nodes).map(\.inside) {
      node.refreshReadouts()
    }
  }
}

extension BuiltRig.BuiltNode {
  /// The instances with the names that they are known by.
  var instances: [(name: String, node: any Node)] {
    nodes.enumerated().map { index, node in
      (nodes.count > 1 ? "\(name)/\(index + 1)" : name, node)
    }
  }
}
