// MIDIDeviceReport.swift: the MIDI devices, for people and for programs. SPDX-License-Identifier: MIT

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

  /// A line for each device; nothing where there is none.
  static func tell(_ endpoints: [SequencerEndpoint]) {
    for endpoint in endpoints {
      let ways = [endpoint.isSource ? "in" : nil, endpoint.isDestination ? "out" : nil]
        .compactMap(\.self).joined(separator: " and ")
      let program = endpoint.isHardware ? "" : ", virtual"
      Terminal.output.writeLine("MIDI \(endpoint.address)  \(endpoint.name) (\(ways)\(program))")
    }
  }
}
