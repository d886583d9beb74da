// MIDIArguments.swift: the MIDI devices of `run`. SPDX-License-Identifier: MIT

import ALSASequencer
import ArgumentParser
import RigSchema

/// MIDI devices on the command line.
///
/// They override the rig.
struct MIDIArguments: ParsableArguments {
  @Option(
    name: .customLong("midi-in"),
    help: ArgumentHelp(
      "MIDI input device; repeatable.",
      valueName: "device"))
  var inputs: [String] = []
  @Option(
    name: .customLong("midi-out"),
    help: ArgumentHelp("MIDI output device; repeatable.", valueName: "device"))
  var outputs: [String] = []

  func apply(to rig: inout RigDescription) {
    if !inputs.isEmpty { rig.midi.inputs = inputs }
    if !outputs.isEmpty { rig.midi.outputs = outputs }
  }
}

extension SequencerRequest {
  /// Returns the MIDI devices that a rig requests.
  ///
  /// A rig that takes MIDI without naming a device is connected to every keyboard. MIDI outputs are connected only if
  /// they are named.
  init(_ rig: RigDescription, acceptsMIDI: Bool, sendsMIDI: Bool) throws(SequencerError) {
    self.init()
    let sources = try EndpointSelection(rig.midi.inputs)
    let played = try EndpointSelection(rig.midi.outputs)
    if acceptsMIDI { input = sources ?? .hardware }
    if sendsMIDI { output = played ?? EndpointSelection.none }
    waitsForDevices = rig.waitsForDevice
  }
}
