// SequencerMIDILink.swift: a session's MIDI through the kernel's sequencer. SPDX-License-Identifier: MIT

import ALSASequencer
import ErrorModel
import RenderGraph
import RigPlanning
import RigSchema
import Session

/// The ALSA sequencer as the MIDI link of a session.
final class SequencerMIDILink: MIDILink {
  private let sequencer: ALSASequencer
  private let request: SequencerRequest
  /// The engine whose rings the sequencer uses.
  private var engine: Engine?
  /// Messages that previous engines lost.
  private var previousDroppedCount = 0

  private init(_ request: SequencerRequest) throws(SequencerError) {
    self.request = request
    sequencer = try ALSASequencer(request)
  }

  /// Creates the link for a rig; nil if the rig has no MIDI.
  ///
  /// A missing sequencer is an error only if the user named a MIDI device. Otherwise it is a warning.
  static func open(_ prepared: PreparedRig, _ warnings: inout [String]) throws -> SequencerMIDILink?
  {
    let plan = try prepared.plan()
    let request = try SequencerRequest(
      prepared.rig, acceptsMIDI: plan.acceptsMIDI || plan.scenes.contains { $0.program != nil },
      sendsMIDI: plan.sendsMIDI)
    let midi = prepared.rig.midi
    if request.input == nil, !midi.inputs.isEmpty {
      warnings.append("No node in this rig takes MIDI. No MIDI input is connected.")
    }
    if request.output == nil, !midi.outputs.isEmpty {
      warnings.append("No node in this rig sends MIDI. No MIDI output is connected.")
    }
    guard request.input != nil || request.output != nil else { return nil }
    do {
      return try SequencerMIDILink(request)
    } catch {
      guard midi.inputs.isEmpty, midi.outputs.isEmpty else { throw error }
      warnings.append(error.description)
      return nil
    }
  }

  func start(_ engine: Engine) throws {
    self.engine = engine
    try unsafe sequencer.start(input: engine.midiInput, output: engine.midiOutput)
  }

  func stop() {
    sequencer.stop()
    previousDroppedCount += engine?.droppedMIDICount ?? 0
    engine = nil
  }

  var status: MIDIStatus {
    let status = sequencer.status
    return MIDIStatus(
      receivedCount: status.receivedCount, sentCount: status.sentCount,
      droppedCount: status.droppedCount + previousDroppedCount + (engine?.droppedMIDICount ?? 0),
      sources: request.input == nil ? nil : status.sources,
      destinations: request.output == nil ? nil : status.destinations)
  }

  func takeNotices() -> [HostNotice] { sequencer.takeNotices() }
}
