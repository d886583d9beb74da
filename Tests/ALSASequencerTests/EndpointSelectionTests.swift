// EndpointSelectionTests.swift: selection of MIDI devices by name. SPDX-License-Identifier: MIT

import Testing

@testable import ALSASequencer

@Suite struct EndpointSelectionTests {
  private let endpoints = [
    endpoint(14, 0, "Midi Through", "Midi Through Port-0"),
    endpoint(20, 0, "Keystation 49", "Keystation 49 MIDI 1", isHardware: true),
    endpoint(20, 1, "Keystation 49", "Keystation 49 Transport", isHardware: true),
    endpoint(24, 0, "Launchkey Mini", "Launchkey Mini MIDI 1", isHardware: true),
    endpoint(128, 0, "Synth: left", "out"),
  ]

  private func found(_ text: String) -> [String] {
    EndpointName(text).matches(endpoints).map(\.address.description)
  }

  @Test(arguments: [
    ("20:1", ["20:1"]), ("20", ["20:0", "20:1"]), ("keystation 49", ["20:0", "20:1"]),
    ("Keystation 49:1", ["20:1"]), ("Keystation 49:keystation 49 transport", ["20:1"]),
    ("Launchkey Mini MIDI 1", ["24:0"]), ("launch", ["24:0"]), ("transport", ["20:1"]),
    ("49:Keystation 49 T", ["20:1"]), ("Synth: left", ["128:0"]), ("Synth: left:out", ["128:0"]),
    ("Synth: left:0", ["128:0"]),
  ]) func `a name selects a client, a port or a unique part of a name`(
    text: String, addresses: [String]
  ) {
    #expect(found(text) == addresses)
  }

  @Test(arguments: ["", "MIDI 1", "Yamaha", "21:0", "Keystation 49:7"])
  func `an unknown or ambiguous name selects nothing`(text: String) {
    #expect(found(text).isEmpty)
  }

  @Test func `devices of one name are selected together`() {
    let twins = [endpoint(20, 0, "Pad", "Pad"), endpoint(24, 0, "Pad", "Pad")]
    #expect(EndpointName("pad").matches(twins).map(\.address) == twins.map(\.address))
  }

  @Test func `the words none, hardware and all select these devices`() throws {
    #expect(try EndpointSelection(["none"])?.selects(endpoints) == [])
    #expect(try EndpointSelection(["Hardware"])?.selects(endpoints).count == 3)
    #expect(try EndpointSelection(["all"])?.selects(endpoints) == endpoints)
    #expect(try EndpointSelection([]) == nil)
  }

  @Test func `several names select the sum of their devices`() throws {
    let choice = try EndpointSelection(["24:0", "Through", "24"])
    #expect(choice?.selects(endpoints).map(\.address.client) == [14, 24])
  }

  @Test func `a word combined with names is refused`() {
    #expect(throws: SequencerError.wordWithNames(word: "all")) {
      try EndpointSelection(["Keystation", "all"])
    }
  }

  @Test func `an unknown name is refused with the existing ones`() throws {
    let choice = try EndpointSelection(["Lanchkey Mini"])
    let error = #expect(throws: SequencerError.self) { try choice?.check(endpoints, .input) }
    #expect(
      error?.description
        == "No such MIDI input: Lanchkey Mini. Did you mean Launchkey Mini? Available: "
        + "Midi Through:Midi Through Port-0, Keystation 49:Keystation 49 MIDI 1, "
        + "Keystation 49:Keystation 49 Transport, Launchkey Mini:Launchkey Mini MIDI 1 and "
        + "Synth: left:out.")
    #expect(error?.exitStatus == 3)
  }

  @Test func `an ambiguous name is refused with the matching ones`() throws {
    let choice = try EndpointSelection(["midi 1"])
    let error = #expect(throws: SequencerError.self) { try choice?.check(endpoints, .output) }
    #expect(
      error?.description
        == "The name midi 1 is part of several MIDI outputs, Keystation 49 and Launchkey Mini. "
        + "Write a longer part of the name.")
    #expect(error?.exitStatus == 2)
  }

  @Test func `without a device the message says so`() {
    let error = SequencerError.noSuchDevice(
      name: "Pad", direction: .output, suggestion: nil, available: [])
    #expect(
      error.description == "No such MIDI output: Pad. No MIDI device is connected.")
  }

  @Test func `numbers are replaced by names, because a device may return under another number`()
    throws
  {
    let choice = try EndpointSelection(["20:1", "launch"])?.withoutNumbers(endpoints)
    #expect(choice == .named([EndpointName("Keystation 49:1"), EndpointName("launch")]))
    let returned = [endpoint(31, 1, "Keystation 49", "Keystation 49 Transport")]
    #expect(choice?.selects(returned) == returned)
  }

  @Test func `all leaves out the outputs in use, to avoid a loop`() {
    let choices = ConnectionPolicy(input: .all, output: .named([EndpointName("through")]))
    #expect(choices.sources(endpoints).map(\.address.client) == [20, 20, 24, 128])
    #expect(choices.destinations(endpoints).map(\.address.client) == [14])
  }
}

/// A port in both directions.
func endpoint(
  _ client: UInt8, _ port: UInt8, _ clientName: String, _ portName: String,
  isHardware: Bool = false
) -> SequencerEndpoint {
  SequencerEndpoint(
    address: SequencerAddress(client: client, port: port), clientName: clientName,
    portName: portName, isHardware: isHardware, isSource: true, isDestination: true)
}
