// LiveSession+State.swift: the published state of a session. SPDX-License-Identifier: MIT

package import PluginModel
import RenderGraph
import RigPlanning
package import RigSchema

extension LiveSession {
  /// A node, and its parameters.
  package struct ParameterTarget {
    /// The node's name in the rig.
    package var name: String
    /// The parameters in the plugin's order.
    package var parameters: [Parameter]
    /// The instances; a `HotSwapNode` is replaced by the node that it wraps.
    package var nodes: [any Node]
    /// The automated parameters.
    package var automated: Set<Int>
  }

  /// The current rig; parameter values are in `nodeValues`. [main]
  package var currentRig: RigDescription { rig.rig }

  /// The nodes that are bypassed because of faults. [main]
  package var bypassedNodes: Set<String> { faults.bypassedNodes }

  /// All nodes, in the order of the rig. [main]
  package var parameterTargets: [ParameterTarget] {
    zip(graph.members, graph.plan.nodes).map { member, planned in
      ParameterTarget(
        name: member.name, parameters: member.plugin.parameters,
        nodes: member.nodes.map(\.inside), automated: Set(planned.lanes.map(\.parameter)))
    }
  }

  /// Returns the writable property values of a node, as a rig file has them. [main]
  package func propertyTexts(ofNode place: Int) -> [(uri: String, text: String)] {
    let member = graph.members[place]
    guard let node = member.nodes.first?.abilities.properties else { return [] }
    return member.plugin.properties.enumerated().compactMap { index, property in
      guard property.isWritable, let value = node.property(index) else { return nil }
      return (property.uri, value.spelling)
    }
  }

  /// Records that parameters were set by another thread, so that a scene change no longer changes
  /// them. [main]
  package func recordManualChange(of parameters: [Int], ofNode name: String) {
    morph.drop(parameters, of: name)
  }

  /// Whether a connection can be named by its ends: an audio connection outside of nested rigs that
  /// leads to no command-line recorder.
  package static func isNamed(_ connection: RigConnection) -> Bool {
    connection.scope.isEmpty && !connection.carriesMIDI && !RecordingTaps.isTap(connection)
  }
}
