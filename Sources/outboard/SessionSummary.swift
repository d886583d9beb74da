// SessionSummary.swift: the summary of a session as JSON. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import FileRecording
import Session

/// The JSON of `outboard run --json`.
struct SessionSummary: Encodable {
  struct Analysis: Encodable {
    struct Band: Encodable {
      let centreHz: Double
      let decibels: Double
    }
    let node: String
    let peakDBFS: [Double]
    let rmsDBFS: [Double]
    let bands: [Band]
    let strongestHz: Double?

    init(node: String, _ report: AnalyserReport) {
      self.node = node
      peakDBFS = report.peakDecibels
      rmsDBFS = report.rmsDecibels
      bands = report.bands.map { Band(centreHz: $0.centreHz, decibels: $0.decibels) }
      strongestHz = report.strongestHz
    }
  }

  /// MIDI counts; names are nil if the rig has no MIDI in that direction.
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

  struct Howl: Encodable {
    let seconds: Double
    let action: String
    /// Nil if the event is not about a single tone.
    let frequencyHz: Double?
    let levelDecibels: Double
    let depthDecibels: Double

    init(_ report: FeedbackEvent, sampleRateHz: Double) {
      seconds = Double(report.frame) / sampleRateHz
      action = FeedbackFormatter(report).word
      frequencyHz = report.frequencyHz > 0 ? Double(report.frequencyHz) : nil
      levelDecibels = Double(report.levelDecibels)
      depthDecibels = Double(report.depthDecibels)
    }
  }

  /// The result of a recording.
  struct Recording: Encodable {
    let file: String
    let seconds: Double
    let frames: Int
    let channels: Int
    let sampleRateHz: Int
    /// Lost frames: those replaced by silence in the file, and those after its end.
    let lostFrames: Int
    let clippedSamples: Int
    /// The reason why the recording ended early.
    let failure: String?

    init(_ report: RecordingReport) {
      file = report.path
      seconds = report.seconds
      frames = report.frameCount
      channels = report.channelCount
      sampleRateHz = report.sampleRateHz
      lostFrames = report.lostFrameCount
      clippedSamples = report.clippedSampleCount
      failure = report.failure
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
  let analyses: [Analysis]
  let feedback: [Howl]
  let recordings: [Recording]
  /// The real-time violations; nil if they were not recorded.
  let realTime: RealTimeFormatter.Figures?
}
