// SessionSummary.swift: the summary of a session as JSON. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FileRecording
import HostModel
import Session

/// The JSON of `outboard run --json`.
struct SessionSummary: Encodable {
  /// The MIDI counts; names are nil if the rig takes or sends no MIDI.
  struct MIDI: Encodable {
    let received: Int
    let sent: Int
    let dropped: Int
    let inputs: [String]?
    let outputs: [String]?

    init(_ status: MIDIStatus) {
      received = status.receivedCount
      sent = status.sentCount
      dropped = status.droppedCount
      inputs = status.sources
      outputs = status.destinations
    }
  }

  /// The final state of a device.
  struct Device: Encodable {
    let device: String
    let direction: String
    /// `running`, `missing`, `waiting` for the device whose clock it shares, or `unavailable`.
    let state: String
    /// The fallback device that is open instead.
    let fallback: String?
    /// The current name of its card, if it differs from the requested name.
    let currentName: String?
    let reason: String?
    let driftPPM: Double?
    let resyncs: Int

    init(_ status: DeviceStatus) {
      device = status.device
      direction = status.isInput ? "capture" : "playback"
      state = status.state.rawValue
      fallback = status.fallbackName
      currentName = status.currentName
      reason = status.reason
      driftPPM = status.driftPPM
      resyncs = status.resyncCount
    }
  }

  let seconds: Double
  let sampleRateHz: Double
  let periodFrames: Int
  let linked: Bool
  let roundTripFrames: Int?
  let devices: [Device]
  let inputFormat: String?
  let outputFormat: String?
  let inputPeaks: [Float]
  let outputPeaks: [Float]
  let meanLoad: Double
  let worstLoad: Double
  /// The number of render threads; 1 if more were not useful.
  let threads: Int
  let xruns: Int
  let lostSeconds: Double
  let clippedSamples: Int
  let pluginLatencyFrames: Int
  let notes: [String]
  let failure: String?
  let midi: MIDI?
  let properties: [NodeProperty]
  let readouts: [NodeReadoutsJSON]
  let analyses: [AnalysisResult]
  let feedback: [FeedbackAction]
  let recordings: [RecordingResult]
  /// The violations of the audio thread; nil if it was not monitored.
  let realTime: RealTimeFormatter.Values?
}
