// SessionState.swift: the state of a session that all clients agree on. SPDX-License-Identifier: MIT

/// Everything about a session that a client can change or display, without values that change continuously.
package struct SessionState: Sendable, Equatable, Codable {
  /// A parameter and its value.
  package struct Parameter: Sendable, Equatable, Codable {
    /// The parameter's symbol.
    package var symbol: String
    /// The value, in its unit.
    package var value: Float

    /// A symbol and its value.
    package init(symbol: String, value: Float) { (self.symbol, self.value) = (symbol, value) }
  }

  /// A property and its value.
  package struct Property: Sendable, Equatable, Codable {
    /// The property's URI.
    package var uri: String
    /// The value, in the syntax of a rig file.
    package var value: String

    /// A URI and its value.
    package init(uri: String, value: String) { (self.uri, self.value) = (uri, value) }
  }

  /// A node.
  package struct Node: Sendable, Equatable, Codable {
    /// The name in the rig.
    package var name: String
    /// The URI, id or built-in word of its plugin.
    package var plugin: String
    /// In the plugin's order; without those that an automation lane moves.
    package var parameters: [Parameter]
    /// The properties that can be written and whose value is known.
    package var properties: [Property]
    /// Whether the user bypassed the node.
    package var bypass: Bool
    /// The wet level: the fraction of processed signal in the output, 0 to 1.
    package var wet: Float
    /// Whether the node is bypassed because of a fault.
    package var faulty: Bool

    /// A node by its values.
    package init(
      name: String, plugin: String, parameters: [Parameter] = [], properties: [Property] = [],
      bypass: Bool = false, wet: Float = 1, faulty: Bool = false
    ) {
      (self.name, self.plugin, self.parameters) = (name, plugin, parameters)
      (self.properties, self.bypass, self.wet, self.faulty) = (properties, bypass, wet, faulty)
    }
  }

  /// A nested rig.
  package struct NestedRig: Sendable, Equatable, Codable {
    /// The name in the rig.
    package var name: String
    /// Whether the whole nested rig is bypassed.
    package var bypass: Bool
    /// The wet level: the fraction of processed signal in the output, 0 to 1.
    package var wet: Float

    /// A nested rig by its values.
    package init(name: String, bypass: Bool, wet: Float) {
      (self.name, self.bypass, self.wet) = (name, bypass, wet)
    }
  }

  /// A connection.
  package struct Connection: Sendable, Equatable, Codable {
    /// Both ends, as `set` takes them.
    package var name: String
    /// The gain in dB; nil for off.
    package var gain: Float?

    /// A connection with its gain.
    package init(name: String, gain: Float?) { (self.name, self.gain) = (name, gain) }
  }

  /// The rig's name.
  package var rig: String
  /// The nodes, in the order of the rig.
  package var nodes: [Node]
  /// The nested rigs.
  package var nestedRigs: [NestedRig]
  /// The connections of audio, in the order of the rig.
  package var connections: [Connection]
  /// The scenes, in the order of the rig.
  package var scenes: [SceneInfo]
  /// The MIDI mappings as lines of a rig; nil for none.
  package var maps: [String]?
  /// The tempo; nil if unknown.
  package var transport: TransportInfo?

  /// A state by its parts.
  package init(
    rig: String, nodes: [Node] = [], nestedRigs: [NestedRig] = [],
    connections: [Connection] = [], scenes: [SceneInfo] = [],
    maps: [String]? = nil, transport: TransportInfo? = nil
  ) {
    (self.rig, self.nodes, self.nestedRigs) = (rig, nodes, nestedRigs)
    (self.connections, self.scenes, self.maps) = (connections, scenes, maps)
    self.transport = transport
  }
}

/// A scene, as a list of scenes has it.
package struct SceneInfo: Codable, Sendable, Equatable {
  /// The name.
  package var name: String
  /// The default duration of its recall, in seconds; nil for immediate.
  package var over: Double?
  /// Whether this scene was recalled or stored last.
  package var current: Bool

  /// A scene by its values.
  package init(name: String, over: Double?, current: Bool) {
    (self.name, self.over, self.current) = (name, over, current)
  }
}

/// The state of a session after a number of changes.
package struct Snapshot: Sendable, Equatable, Codable {
  /// The number of changes.
  package var revision: UInt64
  /// The state after these changes.
  package var state: SessionState

  /// A state and its revision.
  package init(revision: UInt64, state: SessionState) {
    (self.revision, self.state) = (revision, state)
  }

  /// Applies the next change.
  ///
  /// - Returns: false if a change before it is missing; it is not applied then.
  package mutating func apply(_ changed: Event.Changed) -> Bool {
    guard changed.revision == revision + 1 else { return false }
    for change in changed.changes { state.apply(change) }
    revision = changed.revision
    return true
  }
}
