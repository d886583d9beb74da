// SessionState+Session.swift: the state of a running session. SPDX-License-Identifier: MIT

import HostModel
import PluginModel
import RigSchema
import Session

extension SessionState {
  /// Reads the current state of a session. [main]
  init(_ session: LiveSession) {
    let rig = session.currentRig
    let bypassed = session.bypassedNodes
    let targets = session.parameterTargets
    var nodes: [Node] = []
    for (position, member) in session.nodeValues.enumerated() {
      let written = rig.nodes[position]
      let parameters = member.plugin.parameters.indices.compactMap { index -> Parameter? in
        guard !targets[position].automated.contains(index) else { return nil }
        return Parameter(
          symbol: member.plugin.parameters[index].symbol, value: member.values[index])
      }
      nodes.append(
        Node(
          name: member.name, plugin: member.plugin.identifier, parameters: parameters,
          properties: session.propertyTexts(ofNode: position).map {
            Property(uri: $0.uri, value: $0.text)
          },
          bypass: written.isBypassed, wet: written.wetLevel,
          faulty: bypassed.contains(member.name)))
    }
    self.init(
      rig: rig.name, nodes: nodes,
      nestedRigs: rig.nested.map {
        NestedRig(name: $0.name, bypass: $0.isBypassed, wet: $0.wetLevel)
      },
      connections: Self.connections(of: rig),
      scenes: session.scenes.map {
        SceneInfo(name: $0.name, over: $0.overSeconds, current: $0.isCurrent)
      }, maps: rig.maps.isEmpty ? nil : rig.maps.map(\.description),
      transport: TransportInfo(session.transportStatus))
  }

  /// Returns the connections that a command can name.
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

  /// Copies a parameter value from another state, if both states have the parameter.
  mutating func keep(_ symbol: String, of node: String, from other: SessionState) {
    guard let position = nodes.firstIndex(where: { $0.name == node }),
      let index = nodes[position].parameters.firstIndex(where: { $0.symbol == symbol }),
      let old = other.nodes.first(where: { $0.name == node })?.parameters
        .first(where: { $0.symbol == symbol })
    else { return }
    nodes[position].parameters[index] = old
  }
}

extension SessionState {
  /// Returns the parameters that a change of this state sets, with their old and new values.
  func values(changedBy changes: [StateChange]) -> [ValueChange] {
    changes.compactMap { change in
      guard case .parameter(let node, let symbol, let value) = change,
        let old = nodes.first(where: { $0.name == node })?.parameters.first(where: {
          $0.symbol == symbol
        })
      else { return nil }
      return ValueChange(node: node, symbol: symbol, old: old.value, new: value)
    }
  }
}
