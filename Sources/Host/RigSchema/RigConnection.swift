// RigConnection.swift: a connection of a rig, and its ends. SPDX-License-Identifier: MIT

package import Manifests

/// From one end to another, with a gain.
package struct RigConnection: Sendable, Equatable {
  /// The source of the audio.
  package var from: ConnectionEndpoint
  /// The sink of the audio.
  package var to: ConnectionEndpoint
  /// In decibels; minus infinity for silence.
  package var gainDecibels: Float
  /// The delay in seconds; nil for none except latency compensation.
  package var delaySeconds: Double?
  /// The keys that lead to it in its manifest.
  package var keyPath: String
  /// The prefix of the node names in its file: empty, or `NestedRig.prefix`.
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
  /// Whether the text names MIDI; a plain connection between nodes without audio may carry
  /// MIDI too.
  package var carriesMIDI: Bool { from.carriesMIDI || to.carriesMIDI }
}

/// One end of a connection.
package struct ConnectionEndpoint: Sendable, Equatable {
  /// The node, or the rig's input or output.
  package enum Location: Sendable, Hashable {
    /// The rig's input.
    case input
    /// The rig's output.
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

  /// The node, or the rig's input or output.
  package var location: Location
  /// Which of its channels.
  package var ports: Ports
  /// The position of its text.
  package var position: SourcePosition

  /// A node or the rig's input or output, and which of its channels.
  package init(location: Location, ports: Ports = .all, position: SourcePosition = .unknown) {
    self.location = location
    self.ports = ports
    self.position = position
  }

  /// The port name of MIDI.
  package static let midiPort = "midi"

  /// Whether the text names the MIDI port of the node or rig.
  package var carriesMIDI: Bool {
    if case .named(let name) = ports { name.lowercased() == Self.midiPort } else { false }
  }

  /// The node's name; nil for the rig itself.
  package var nodeName: String? {
    if case .node(let name) = location { name } else { nil }
  }
}
