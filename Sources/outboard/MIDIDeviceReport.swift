// MIDIDeviceReport.swift: MIDI devices as text and JSON. SPDX-License-Identifier: MIT

import ALSASequencer
import Console

/// A MIDI device in `outboard devices --json`.
struct MIDIDeviceReport: Encodable {
  let name: String
  let address: String
  let clientName: String
  let portName: String
  let hardware: Bool
  let input: Bool
  let output: Bool

  init(_ endpoint: SequencerEndpoint) {
    name = endpoint.name
    address = endpoint.address.description
    clientName = endpoint.clientName
    portName = endpoint.portName
    hardware = endpoint.isHardware
    input = endpoint.isSource
    output = endpoint.isDestination
  }

  /// Prints one line per device; nothing if there is none.
  static func report(_ endpoints: [SequencerEndpoint]) {
    for endpoint in endpoints {
      let directions = [endpoint.isSource ? "in" : nil, endpoint.isDestination ? "out" : nil]
        .compactMap(\.self).joined(separator: " and ")
      let program = endpoint.isHardware ? "" : ", virtual"
      Terminal.output.writeLine(
        "MIDI \(endpoint.address)  \(endpoint.name) (\(directions)\(program))")
    }
  }
}
