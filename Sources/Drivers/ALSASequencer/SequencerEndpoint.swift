// SequencerEndpoint.swift: a MIDI port of this machine in the sequencer. SPDX-License-Identifier: MIT

/// The numbers of a port in the sequencer.
///
/// A device that returns may get other numbers.
package struct SequencerAddress: Hashable, Sendable, Comparable {
  /// The number of the device or program, 0 to 191.
  package var client: UInt8
  /// The number of the port, 0 to 253.
  package var port: UInt8

  /// Creates an address.
  package init(client: UInt8, port: UInt8) {
    self.client = client
    self.port = port
  }

  /// Orders addresses by client, then by port.
  package static func < (one: Self, other: Self) -> Bool {
    (one.client, one.port) < (other.client, other.port)
  }
}

extension SequencerAddress: CustomStringConvertible {
  /// The spelling of ALSA's tools: `20:0`.
  package var description: String { "\(client):\(port)" }
}

/// A port of another client that accepts connections: a keyboard, a synthesiser, a program.
package struct SequencerEndpoint: Equatable, Sendable {
  /// The current numbers.
  package var address: SequencerAddress
  /// The name of the device or program, for example `Keystation 49`.
  package var clientName: String
  /// The name of the port, for example `Keystation 49 MIDI 1`.
  package var portName: String
  /// Whether the port belongs to a hardware device, not to a program.
  package var isHardware: Bool
  /// Whether the port sends MIDI.
  package var isSource: Bool
  /// Whether the port receives MIDI.
  package var isDestination: Bool

  /// Creates an endpoint.
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

  /// The readable name: client and port, or only the client if the name of the port repeats it.
  package var name: String {
    portName.isEmpty || portName == clientName ? clientName : "\(clientName):\(portName)"
  }
}
