// RigConnection.swift: a connection of a rig, and its ends. SPDX-License-Identifier: MIT

/// From one end to another, with a gain.
package struct RigConnection: Sendable, Equatable {
  /// Where the sound comes from.
  package var from: ConnectionEndpoint
  /// Where it goes.
  package var to: ConnectionEndpoint
  /// In decibels; minus infinity for silence.
  package var gainDecibels: Float
  /// How long the sound takes, in seconds; nil for no time, but what lines it up with others.
  package var delaySeconds: Double?
  /// The keys that lead to it in its manifest.
  package var keyPath: String
  /// What the names of the nodes begin with that its file speaks of: empty, or as `NestedRig.prefix`.
  package var scope = ""
  /// The file that it is written in; nil for the rig's own.
  package var file: String?

  /// A connection at its full level, or with a gain.
  package init(
    from: ConnectionEndpoint, to: ConnectionEndpoint, gainDecibels: Float = 0, keyPath: String = ""
  ) {
    self.from = from
    self.to = to
    self.gainDecibels = gainDecibels
    self.keyPath = keyPath
  }
}

extension RigConnection {
  /// Whether it is written as one of MIDI; between nodes without sound a plain one may be too.
  package var isOfMIDI: Bool { from.isOfMIDI || to.isOfMIDI }
}

/// One end of a connection.
package struct ConnectionEndpoint: Sendable, Equatable {
  /// What sound leaves or enters.
  package enum Place: Sendable, Hashable {
    /// The rig's own input, where sound enters.
    case input
    /// The rig's own output, where sound leaves.
    case output
    /// A node of that name.
    case node(String)
  }

  /// Which of its channels.
  package enum Ports: Sendable, Hashable {
    /// All of them.
    case all
    /// Some, counted from 1, in this order.
    case channels([Int])
    /// A port's symbol or a group's name.
    case named(String)
  }

  /// What sound leaves or enters.
  package var place: Place
  /// Which of its channels.
  package var ports: Ports
  /// Where it is written.
  package var position: SourcePosition

  /// A place, and which of its channels.
  package init(place: Place, ports: Ports = .all, position: SourcePosition = .unknown) {
    self.place = place
    self.ports = ports
    self.position = position
  }

  /// The port's name by which MIDI is meant.
  package static let midiPort = "midi"

  /// Whether it names the MIDI of its place.
  package var isOfMIDI: Bool {
    if case .named(let name) = ports { name.lowercased() == Self.midiPort } else { false }
  }

  /// The node's name; nil for the rig itself.
  package var nodeName: String? {
    if case .node(let name) = place { name } else { nil }
  }
}
