// SequencerEndpoint.swift: a MIDI port of this machine in the sequencer. SPDX-License-Identifier: MIT

/// The numbers of a port in the sequencer.
///
/// A device that returns may get other numbers.
package struct SequencerAddress: Hashable, Sendable, Comparable {
  /// The number of the device or program, 0 to 191.
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

/// A port of another client that accepts connections: a keyboard, a synthesiser, a program.
package struct SequencerEndpoint: Equatable, Sendable {
  /// Its numbers at present.
  package var address: SequencerAddress
  /// The name of the device or program, for example `Keystation 49`.
  package var clientName: String
  /// The port on it, for instance `Keystation 49 MIDI 1`.
  package var portName: String
  /// Whether the port belongs to a cable or a device, not to a program.
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
