// SessionEvent.swift: what can happen in a run, for programs. SPDX-License-Identifier: MIT

import AudioDriver
import FoundationEssentials
import Glibc
import HostModel
import Session

/// The events of `--events json`, one object for each; `seconds` are those since the start.
enum SessionEvent {
  /// The devices were opened.
  struct Started: Encodable {
    struct Device: Encodable {
      let device: String
      let name: String
      let direction: String
      let channels: Int
      let format: String
      let sampleRateHz: Double
      let periodFrames: Int
      let bufferFrames: Int
      /// Whether drift correction resamples it to the primary device.
      let driftCorrected: Bool

      init(_ stream: DeviceStream, _ direction: String) {
        device = stream.device
        name = stream.name
        self.direction = direction
        channels = stream.channelCount
        format = stream.format
        sampleRateHz = stream.sampleRateHz
        periodFrames = stream.periodFrames
        bufferFrames = stream.bufferFrames
        driftCorrected = stream.isFollowing
      }
    }

    let event = "started"
    let seconds: Double
    let sampleRateHz: Double
    let periodFrames: Int
    let linked: Bool
    let roundTripFrames: Int?
    let pluginLatencyFrames: Int
    let devices: [Device]
    let notes: [String]

    init(_ seconds: Double, _ session: LiveSession, _ warnings: [String]) {
      let stream = session.stream
      self.seconds = seconds
      sampleRateHz = stream.sampleRateHz
      periodFrames = stream.periodFrames
      linked = stream.isLinked
      roundTripFrames = stream.roundTripFrames
      pluginLatencyFrames = session.latencyFrames
      devices =
        stream.inputs.map { Device($0, "capture") } + stream.outputs.map { Device($0, "playback") }
      notes = warnings
    }
  }

  /// Once a second.
  struct Level: Encodable {
    struct Drift: Encodable {
      let device: String
      let driftPPM: Double
    }

    let event = "level"
    let seconds: Double
    /// Sample peaks of each channel in dBFS; nil for silence.
    let inputPeakDBFS: [Double?]
    let outputPeakDBFS: [Double?]
    /// Shares of the period.
    let meanLoad: Double
    let worstLoad: Double
    let xruns: Int
    let lostSeconds: Double
    let clippedSamples: Int
    /// Of the devices that follow, as far as it is known.
    let drift: [Drift]

    init(_ seconds: Double, _ levels: LevelWindow, _ report: LiveSession.Report) {
      self.seconds = seconds
      inputPeakDBFS = levels.inputs.map(Self.decibels)
      outputPeakDBFS = levels.outputs.map(Self.decibels)
      meanLoad = levels.meanLoad
      worstLoad = levels.worstLoad
      xruns = report.driver.xrunCount
      lostSeconds = report.driver.lostSeconds
      clippedSamples = report.driver.clippedSampleCount
      drift = report.driver.devices.compactMap { device in
        device.driftPPM.map { Drift(device: device.device, driftPPM: $0) }
      }
    }

    private static func decibels(_ peak: Float) -> Double? {
      peak > 0 ? 20 * log10(Double(peak)) : nil
    }
  }

  /// What an analyser heard since the last line of levels.
  struct Analysis: Encodable {
    let event = "analysis"
    let seconds: Double
    let analysis: SessionSummary.Analysis

    init(_ seconds: Double, _ analysis: SessionSummary.Analysis) {
      self.seconds = seconds
      self.analysis = analysis
    }
  }

  /// What a meter shows (`--meters`).
  struct Meter: Encodable {
    let event = "meter"
    let seconds: Double
    let meter: MeterValues

    init(_ seconds: Double, _ meter: MeterValues) {
      self.seconds = seconds
      self.meter = meter
    }
  }

  /// Sound was interrupted; the counts are those since the start.
  struct Xrun: Encodable {
    let event = "xrun"
    let seconds: Double
    let xruns: Int
    let lostSeconds: Double

    init(_ seconds: Double, _ status: DriverStatus) {
      self.seconds = seconds
      xruns = status.xrunCount
      lostSeconds = status.lostSeconds
    }
  }

  /// A device went, came back, or another one stands in for it.
  struct Device: Encodable {
    let event = "device"
    let seconds: Double
    let device: String
    let direction: String
    /// `running`, `missing`, `waiting` for the device whose clock it shares, or `unavailable`.
    let state: String
    /// The fallback device that is open instead.
    let fallback: String?
    /// The current name of its card, if it differs from the requested name.
    let currentName: String?
    let reason: String?

    init(_ seconds: Double, _ status: DeviceStatus) {
      self.seconds = seconds
      device = status.device
      direction = status.isInput ? "capture" : "playback"
      state = status.state.rawValue
      fallback = status.fallbackName
      currentName = status.currentName
      reason = status.reason
    }
  }

  /// The devices came to insist on another rate, and the rig follows.
  struct Rate: Encodable {
    let event = "rate"
    let seconds: Double
    let sampleRateHz: Double

    init(_ seconds: Double, _ sampleRateHz: Double) {
      self.seconds = seconds
      self.sampleRateHz = sampleRateHz
    }
  }

  /// A plugin told another value of one of its properties.
  struct Property: Encodable {
    let event = "property"
    let seconds: Double
    let property: NodeProperty

    init(_ seconds: Double, _ report: PropertyReport) {
      self.seconds = seconds
      property = NodeProperty(report)
    }
  }

  /// Feedback suppression changed something.
  struct Howl: Encodable {
    let event = "feedback"
    let seconds: Double
    let feedback: SessionSummary.Howl

    init(_ seconds: Double, _ howl: SessionSummary.Howl) {
      self.seconds = seconds
      feedback = howl
    }
  }

  /// A MIDI device came or went (`midi`), or what else is worth knowing (`notice`), as a sentence.
  struct Notice: Encodable {
    let event: String
    let seconds: Double
    let notice: String

    init(_ seconds: Double, _ notice: String, isMIDI: Bool = false) {
      event = isMIDI ? "midi" : "notice"
      self.seconds = seconds
      self.notice = notice
    }
  }

  /// Foreign code ends the run: `stopped` follows.
  struct Failure: Encodable {
    let event = "failure"
    let seconds: Double
    /// `crashed`, `exited`, `hung` or `threadEnded`.
    let kind: String
    /// The node and its plugin, where they are known.
    let node: String?
    let plugin: String?
    /// The line of the source, or library and offset, if known.
    let location: String?
    let failure: String

    init(_ seconds: Double, _ fault: FatalFault) {
      self.seconds = seconds
      kind = fault.kind.rawValue
      (node, plugin, location) = (fault.node, fault.plugin, fault.place)
      failure = fault.sentence
    }
  }

  /// The end.
  struct Stopped: Encodable {
    let event = "stopped"
    let seconds: Double
    let xruns: Int
    let lostSeconds: Double
    let clippedSamples: Int
    let failure: String?
    let recordings: [SessionSummary.Recording]

    init(_ seconds: Double, _ session: LiveSession) {
      let status = session.status
      self.seconds = seconds
      xruns = status.xrunCount
      lostSeconds = status.lostSeconds
      clippedSamples = status.clippedSampleCount
      failure = status.failure
      recordings = session.recordings.map(SessionSummary.Recording.init)
    }
  }
}
