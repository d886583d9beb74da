// SequencerEndpoint.swift: a MIDI port of this machine, as the sequencer knows it. SPDX-License-Identifier: MIT

/// The numbers by which the sequencer knows a port; a device that returns may get others.
package struct SequencerAddress: Hashable, Sendable, Comparable {
  /// The device's or program's number, 0 to 191.
  package var client: UInt8
  /// The port's number on it, 0 to 253.
  package var port: UInt8

  /// Both numbers.
  package init(client: UInt8, port: UInt8) {
    self.client = client
    self.port = port
  }

  /// By client, then by port.
  package static func < (one: Self, other: Self) -> Bool {
    (one.client, one.port) < (other.client, other.port)
  }
}

extension SequencerAddress: CustomStringConvertible {
  /// As ALSA's own programs write it: `20:0`.
  package var description: String { "\(client):\(port)" }
}

/// A port that another client lets others connect to: a keyboard, a synthesiser, a program.
package struct SequencerEndpoint: Equatable, Sendable {
  /// Its numbers at present.
  package var address: SequencerAddress
  /// The device or program, for instance `Keystation 49`.
  package var clientName: String
  /// The port on it, for instance `Keystation 49 MIDI 1`.
  package var portName: String
  /// Whether a cable or a device is behind it, not a program.
  package var isHardware: Bool
  /// Whether MIDI comes from it.
  package var isSource: Bool
  /// Whether MIDI can be sent to it.
  package var isDestination: Bool

  /// All of it.
  package init(
    address: SequencerAddress, clientName: String, portName: String, isHardware: Bool,
    isSource: Bool, isDestination: Bool
  ) {
    self.address = address
    self.clientName = clientName
    self.portName = portName
    self.isHardware = isHardware
    self.isSource = isSource
    self.isDestination = isDestination
  }

  /// What a person calls it: client and port, or the client alone where the port's name only repeats
  /// it.
  package var name: String {
    portName.isEmpty || portName == clientName ? clientName : "\(clientName):\(portName)"
  }
}
