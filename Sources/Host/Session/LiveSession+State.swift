// LiveSession+State.swift: what a host publishes of a session. SPDX-License-Identifier: MIT

package import PluginModel
import RenderGraph
package import Rig

extension LiveSession {
  /// A node and what sets its parameters.
  package struct ParameterTarget {
    /// Its name in the rig.
    package var name: String
    /// In the plugin's order.
    package var parameters: [Parameter]
    /// Its instances, those that stand for others replaced by what they stand for.
    package var nodes: [any Node]
    /// Parameters that a lane moves.
    package var automated: Set<Int>
  }

  /// The rig as it runs; parameters are in `nodeValues`. [main]
  package var currentRig: RigDescription { rig.rig }

  /// Nodes that sound goes past because they are faulty. [main]
  package var bypassedNodes: Set<String> { faults.leftOut }

  /// All nodes in the order of the rig. [main]
  package var parameterTargets: [ParameterTarget] {
    zip(graph.members, graph.plan.nodes).map { member, planned in
      ParameterTarget(
        name: member.name, parameters: member.plugin.parameters,
        nodes: member.nodes.map(\.inside), automated: Set(planned.lanes.map(\.parameter)))
    }
  }

  /// The values of a node's properties that can be set, as a rig writes them. [main]
  package func propertyTexts(ofNode place: Int) -> [(uri: String, text: String)] {
    let member = graph.members[place]
    guard let node = member.nodes.first?.abilities.properties else { return [] }
    return member.plugin.properties.enumerated().compactMap { index, property in
      guard property.isWritable, let value = node.property(index) else { return nil }
      return (property.uri, value.spelling)
    }
  }

  /// Records that parameters were set elsewhere, so that a scene on its way leaves them alone. [main]
  package func noteManualChange(of parameters: [Int], ofNode name: String) {
    morph.drop(parameters, of: name)
  }

  /// Whether a connection can be named by its ends: not inside a nested rig, no MIDI, and no tap of a recorder.
  package static func isNamed(_ connection: RigConnection) -> Bool {
    connection.scope.isEmpty && !connection.isOfMIDI && !RecordingTaps.isTap(connection)
  }
}
