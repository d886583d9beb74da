// SessionState+Session.swift: the state of a session that runs. SPDX-License-Identifier: MIT

import HostModel
import PluginModel
import Rig
import Session

extension SessionState {
  /// The state as it is now. [main]
  init(_ session: LiveSession) {
    let rig = session.currentRig
    let bypassed = session.bypassedNodes
    let targets = session.parameterTargets
    var nodes: [Node] = []
    for (place, member) in session.nodeValues.enumerated() {
      let written = rig.nodes[place]
      let parameters = member.plugin.parameters.indices.compactMap { index -> Parameter? in
        guard !targets[place].automated.contains(index) else { return nil }
        return Parameter(
          symbol: member.plugin.parameters[index].symbol, value: member.values[index])
      }
      nodes.append(
        Node(
          name: member.name, plugin: member.plugin.identifier, parameters: parameters,
          properties: session.propertyTexts(ofNode: place).map {
            Property(uri: $0.uri, value: $0.text)
          },
          bypass: written.isBypassed, wet: written.wetShare,
          faulty: bypassed.contains(member.name)))
    }
    self.init(
      rig: rig.name, nodes: nodes,
      nestedRigs: rig.nested.map {
        NestedRig(name: $0.name, bypass: $0.isBypassed, wet: $0.wetShare)
      },
      connections: Self.connections(of: rig),
      scenes: session.scenes.map {
        SceneInfo(name: $0.name, over: $0.overSeconds, current: $0.isCurrent)
      })
  }

  /// Those that a name stands for.
  private static func connections(of rig: RigDescription) -> [Connection] {
    var names: Set<String> = []
    return rig.connections.compactMap { connection in
      guard LiveSession.isNamed(connection), names.insert(connection.label).inserted else {
        return nil
      }
      let gain = connection.gainDecibels
      return Connection(name: connection.label, gain: gain.isFinite ? gain : nil)
    }
  }

  /// Gives a parameter the value that it has in another state, if it is in both.
  mutating func keep(_ symbol: String, of node: String, from other: SessionState) {
    guard let place = nodes.firstIndex(where: { $0.name == node }),
      let index = nodes[place].parameters.firstIndex(where: { $0.symbol == symbol }),
      let old = other.nodes.first(where: { $0.name == node })?.parameters
        .first(where: { $0.symbol == symbol })
    else { return }
    nodes[place].parameters[index] = old
  }
}
