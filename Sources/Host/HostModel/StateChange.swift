// StateChange.swift: one difference between two states. SPDX-License-Identifier: MIT

/// A change of one value in the state of a session.
package enum StateChange: Sendable, Equatable {
  /// A parameter of a node, in its unit.
  case parameter(node: String, symbol: String, value: Float)
  /// A property of a node, by its URI.
  case property(node: String, uri: String, value: String)
  /// Whether the user bypasses a node or nested rig.
  case bypass(node: String, isOn: Bool)
  /// The wet level of a node or nested rig, 0 to 1.
  case wet(node: String, level: Float)
  /// Whether a node is bypassed because of a fault.
  case fault(node: String, isFaulty: Bool)
  /// The gain of a connection in dB; nil for off.
  case gain(connection: String, decibels: Float?)
  /// The list of scenes, and which is current.
  case scenes([SceneInfo])
  /// The whole state, because nodes or connections were added or removed.
  case rig(SessionState)
  /// The list of MIDI mappings.
  case maps([String])
  /// The tempo, or the state of the clock that sets it.
  case transport(TransportInfo)

  /// The word for a change in JSON.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case parameter, property, bypass, wet, fault, gain, scenes, rig, maps, transport
  }
}

extension StateChange: Codable {
  enum CodingKeys: String, CodingKey {
    case change, node, symbol, uri, value, connection, scenes, state, maps, transport
  }

  /// Reads a change by its `change` key.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String { try values.decode(String.self, forKey: key) }
    switch try values.decode(Kind.self, forKey: .change) {
    case .parameter:
      self = .parameter(
        node: try text(.node), symbol: try text(.symbol),
        value: try values.decode(Float.self, forKey: .value))
    case .property:
      self = .property(node: try text(.node), uri: try text(.uri), value: try text(.value))
    case .bypass:
      self = .bypass(node: try text(.node), isOn: try values.decode(Bool.self, forKey: .value))
    case .wet:
      self = .wet(node: try text(.node), level: try values.decode(Float.self, forKey: .value))
    case .fault:
      self = .fault(
        node: try text(.node), isFaulty: try values.decode(Bool.self, forKey: .value))
    case .gain:
      self = .gain(
        connection: try text(.connection),
        decibels: try values.decodeIfPresent(Float.self, forKey: .value))
    case .scenes: self = .scenes(try values.decode([SceneInfo].self, forKey: .scenes))
    case .maps: self = .maps(try values.decode([String].self, forKey: .maps))
    case .transport:
      self = .transport(try values.decode(TransportInfo.self, forKey: .transport))
    case .rig: self = .rig(try values.decode(SessionState.self, forKey: .state))
    }
  }

  /// Writes `change` and the keys that belong to it.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .change)
    switch self {
    case .parameter(let node, let symbol, let value):
      try values.encode(node, forKey: .node)
      try values.encode(symbol, forKey: .symbol)
      try values.encode(value, forKey: .value)
    case .property(let node, let uri, let value):
      try values.encode(node, forKey: .node)
      try values.encode(uri, forKey: .uri)
      try values.encode(value, forKey: .value)
    case .bypass(let node, let isOn):
      try values.encode(node, forKey: .node)
      try values.encode(isOn, forKey: .value)
    case .wet(let node, let level):
      try values.encode(node, forKey: .node)
      try values.encode(level, forKey: .value)
    case .fault(let node, let isFaulty):
      try values.encode(node, forKey: .node)
      try values.encode(isFaulty, forKey: .value)
    case .gain(let connection, let decibels):
      try values.encode(connection, forKey: .connection)
      try values.encodeIfPresent(decibels, forKey: .value)
    case .scenes(let scenes): try values.encode(scenes, forKey: .scenes)
    case .maps(let maps): try values.encode(maps, forKey: .maps)
    case .transport(let transport): try values.encode(transport, forKey: .transport)
    case .rig(let state): try values.encode(state, forKey: .state)
    }
  }

  /// The word for this change.
  package var kind: Kind {
    switch self {
    case .parameter: .parameter
    case .property: .property
    case .bypass: .bypass
    case .wet: .wet
    case .fault: .fault
    case .gain: .gain
    case .scenes: .scenes
    case .rig: .rig
    case .maps: .maps
    case .transport: .transport
    }
  }
}

extension SessionState {
  /// Applies a change; a change to a missing part has no effect.
  package mutating func apply(_ change: StateChange) {
    switch change {
    case .parameter(let node, let symbol, let value):
      guard let position = nodes.firstIndex(where: { $0.name == node }),
        let index = nodes[position].parameters.firstIndex(where: { $0.symbol == symbol })
      else { return }
      nodes[position].parameters[index].value = value
    case .property(let node, let uri, let value):
      guard let position = nodes.firstIndex(where: { $0.name == node }) else { return }
      if let index = nodes[position].properties.firstIndex(where: { $0.uri == uri }) {
        nodes[position].properties[index].value = value
      }
    case .bypass(let name, let isOn):
      if let position = nodes.firstIndex(where: { $0.name == name }) {
        nodes[position].bypass = isOn
      }
      if let position = nestedRigs.firstIndex(where: { $0.name == name }) {
        nestedRigs[position].bypass = isOn
      }
    case .wet(let name, let level):
      if let position = nodes.firstIndex(where: { $0.name == name }) { nodes[position].wet = level }
      if let position = nestedRigs.firstIndex(where: { $0.name == name }) {
        nestedRigs[position].wet = level
      }
    case .fault(let name, let isFaulty):
      if let position = nodes.firstIndex(where: { $0.name == name }) {
        nodes[position].faulty = isFaulty
      }
    case .gain(let name, let decibels):
      if let position = connections.firstIndex(where: { $0.name == name }) {
        connections[position].gain = decibels
      }
    case .scenes(let scenes): self.scenes = scenes
    case .rig(let state): self = state
    case .maps(let maps): self.maps = maps.isEmpty ? nil : maps
    case .transport(let transport): self.transport = transport
    }
  }

  /// Returns the changes from this state to another one; empty if they are equal.
  package func changes(to next: SessionState) -> [StateChange] {
    guard hasSameStructure(as: next) else { return [.rig(next)] }
    var changes: [StateChange] = []
    for (old, new) in zip(nodes, next.nodes) where old != new { changes += old.changes(to: new) }
    for (old, new) in zip(nestedRigs, next.nestedRigs) where old != new {
      if old.bypass != new.bypass { changes.append(.bypass(node: new.name, isOn: new.bypass)) }
      if old.wet != new.wet { changes.append(.wet(node: new.name, level: new.wet)) }
    }
    for (old, new) in zip(connections, next.connections) where old != new {
      changes.append(.gain(connection: new.name, decibels: new.gain))
    }
    if maps != next.maps { changes.append(.maps(next.maps ?? [])) }
    if let transport = next.transport, transport != self.transport {
      changes.append(.transport(transport))
    }
    if scenes != next.scenes { changes.append(.scenes(next.scenes)) }
    return changes
  }

  /// Returns whether both states have the same nodes and connections.
  ///
  /// Names must be unique where changes use them, which rigs ensure except for parallel
  /// connections.
  private func hasSameStructure(as next: SessionState) -> Bool {
    guard rig == next.rig, nodes.count == next.nodes.count,
      nestedRigs.map(\.name) == next.nestedRigs.map(\.name),
      connections.map(\.name) == next.connections.map(\.name)
    else { return false }
    return zip(nodes, next.nodes).allSatisfy { old, new in
      old.name == new.name && old.plugin == new.plugin
        && old.parameters.elementsEqual(new.parameters) { $0.symbol == $1.symbol }
        && old.properties.elementsEqual(new.properties) { $0.uri == $1.uri }
    }
  }
}

extension SessionState.Node {
  fileprivate func changes(to next: Self) -> [StateChange] {
    var changes: [StateChange] = []
    for (old, new) in zip(parameters, next.parameters) where old != new {
      changes.append(.parameter(node: name, symbol: new.symbol, value: new.value))
    }
    for (old, new) in zip(properties, next.properties) where old != new {
      changes.append(.property(node: name, uri: new.uri, value: new.value))
    }
    if bypass != next.bypass { changes.append(.bypass(node: name, isOn: next.bypass)) }
    if wet != next.wet { changes.append(.wet(node: name, level: next.wet)) }
    if faulty != next.faulty { changes.append(.fault(node: name, isFaulty: next.faulty)) }
    return changes
  }
}
