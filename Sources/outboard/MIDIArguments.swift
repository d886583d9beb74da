// MIDIArguments.swift: which MIDI devices `run` is connected to. SPDX-License-Identifier: MIT

import ALSASequencer
import ArgumentParser
import Rig

/// MIDI devices on the command line; what they say goes before what the rig says.
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
  /// What a rig asks for.
  ///
  /// A rig that takes MIDI and names no device hears every keyboard, as one that is plugged in is
  /// meant to play; it is connected to no output of its own accord.
  init(_ rig: RigDescription, takesMIDI: Bool, sendsMIDI: Bool) throws(SequencerError) {
    self.init()
    let heard = try EndpointSelection(rig.midi.inputs)
    let played = try EndpointSelection(rig.midi.outputs)
    if takesMIDI { input = heard ?? .hardware }
    if sendsMIDI { output = played ?? EndpointSelection.none }
    waitsForDevices = rig.waitsForDevice
  }
}
