// NodeReadouts.swift: the readouts of the nodes of a rig. SPDX-License-Identifier: MIT

package import PluginModel
import RenderGraph
import RigPlanning

/// The readouts of a node.
package struct NodeReadouts: Sendable, Equatable {
  /// The node name, with the instance number if there are several.
  package var node: String
  /// The plugin.
  package var plugin: PluginDescription
  /// The values of the plugin's readouts, in their units.
  package var values: [Float]
}

extension [BuiltRig.BuiltNode] {
  /// Returns all instances that have readouts, with their last values. [main, while rendering too]
  func readouts() -> [NodeReadouts] {
    flatMap { member in
      member.instances.compactMap { name, node in
        guard !member.plugin.readouts.isEmpty, let node = node.capabilities.readouts else {
          return nil
        }
        return NodeReadouts(
          node: name, plugin: member.plugin,
          values: member.plugin.readouts.indices.map(node.readout))
      }
    }
  }

  /// Updates all readouts to the last block. [main, not rendering]
  func refreshReadouts() {
    for node in flatMap(\.nodes) { node.capabilities.readouts?.refreshReadouts() }
  }
}

extension BuiltRig.BuiltNode {
  /// The nodes that can be replaced while they are rendered.
  var hotSwapNodes: [HotSwapNode] { nodes.compactMap { $0.capabilities[HotSwapNode.self] } }

  /// Returns the instances with their names.
  var instances: [(name: String, node: any Node)] {
    nodes.enumerated().map { index, node in
      (nodes.count > 1 ? "\(name)/\(index + 1)" : name, node)
    }
  }
}
