// Event+Devices.swift: events about devices. SPDX-License-Identifier: MIT

extension Event {
  /// The devices were opened.
  package struct Started: Sendable, Equatable, Codable {
    /// Frames per second.
    package var sampleRateHz: Double
    /// Frames in a period.
    package var periodFrames: Int
    /// Whether capture and playback start at the same time.
    package var linked: Bool
    /// The latency from input to output that the driver knows; nil if unknown.
    package var roundTripFrames: Int?
    /// The delay of the plugins.
    package var pluginLatencyFrames: Int
    /// The devices that are open.
    package var devices: [StartedDevice]
    /// Messages about the start.
    package var notes: [String]

    /// Creates an event.
    package init(
      sampleRateHz: Double, periodFrames: Int, linked: Bool, roundTripFrames: Int? = nil,
      pluginLatencyFrames: Int, devices: [StartedDevice], notes: [String]
    ) {
      self.sampleRateHz = sampleRateHz
      self.periodFrames = periodFrames
      self.linked = linked
      self.roundTripFrames = roundTripFrames
      self.pluginLatencyFrames = pluginLatencyFrames
      self.devices = devices
      self.notes = notes
    }
  }

  /// A device that was opened.
  package struct StartedDevice: Sendable, Equatable, Codable {
    /// The requested name.
    package var device: String
    /// The card's own name.
    package var name: String
    /// `capture` or `playback`.
    package var direction: String
    /// The number of channels.
    package var channels: Int
    /// The sample format, in ALSA's spelling.
    package var format: String
    /// The sample rate in Hz.
    package var sampleRateHz: Double
    /// The period in frames.
    package var periodFrames: Int
    /// The buffer size in frames.
    package var bufferFrames: Int
    /// Whether the device has an independent clock and is resampled.
    package var driftCorrected: Bool

    /// Creates a device.
    package init(
      device: String, name: String, direction: String, channels: Int, format: String,
      sampleRateHz: Double, periodFrames: Int, bufferFrames: Int, driftCorrected: Bool
    ) {
      self.device = device
      self.name = name
      self.direction = direction
      self.channels = channels
      self.format = format
      self.sampleRateHz = sampleRateHz
      self.periodFrames = periodFrames
      self.bufferFrames = bufferFrames
      self.driftCorrected = driftCorrected
    }
  }

  /// A device went or came back, or another one was opened in its location.
  package struct Device: Sendable, Equatable, Codable {
    /// The requested name.
    package var device: String
    /// `capture` or `playback`.
    package var direction: String
    /// `running`, `missing`, `waiting` for one whose clock it shares, or `unavailable`.
    package var state: String
    /// The device that was opened in its location.
    package var fallback: String?
    /// The name that now leads to its card, if that is another one.
    package var currentName: String?
    /// A message: why the device does not run.
    package var reason: String?

    /// Creates an event.
    package init(
      device: String, direction: String, state: String, fallback: String? = nil,
      currentName: String? = nil, reason: String? = nil
    ) {
      self.device = device
      self.direction = direction
      self.state = state
      self.fallback = fallback
      self.currentName = currentName
      self.reason = reason
    }
  }

  /// The devices run at another rate.
  package struct Rate: Sendable, Equatable, Codable {
    /// Frames per second.
    package var sampleRateHz: Double

    /// Creates an event.
    package init(sampleRateHz: Double) {
      self.sampleRateHz = sampleRateHz
    }
  }

  /// Sound was interrupted; both count from the start.
  package struct Xrun: Sendable, Equatable, Codable {
    /// The number of xruns.
    package var xruns: Int
    /// The duration of the lost audio, in seconds.
    package var lostSeconds: Double

    /// Creates an event.
    package init(xruns: Int, lostSeconds: Double) {
      self.xruns = xruns
      self.lostSeconds = lostSeconds
    }
  }

  /// Foreign code ends or interrupts the session.
  package struct Failure: Sendable, Equatable, Codable {
    /// `crashed`, `exited`, `hung` or `threadEnded`.
    package var kind: String
    /// The node, if it is known.
    package var node: String?
    /// The plugin, if it is known.
    package var plugin: String?
    /// The line of the source, or library and offset, if it is known.
    package var location: String?
    /// The message.
    package var failure: String
    /// True if the session restarts at once in the same process; nil if it ends.
    package var restarts: Bool?

    /// Creates an event.
    package init(
      kind: String, node: String? = nil, plugin: String? = nil, location: String? = nil,
      failure: String, restarts: Bool? = nil
    ) {
      self.restarts = restarts
      self.kind = kind
      self.node = node
      self.plugin = plugin
      self.location = location
      self.failure = failure
    }
  }

  /// The session has ended.
  package struct Stopped: Sendable, Equatable, Codable {
    /// The number of xruns.
    package var xruns: Int
    /// The duration of lost audio in seconds.
    package var lostSeconds: Double
    /// The number of clipped output samples.
    package var clippedSamples: Int
    /// The message why it ended; nil if the user stopped it.
    package var failure: String?
    /// The files that were recorded.
    package var recordings: [RecordingResult]

    /// Creates an event.
    package init(
      xruns: Int, lostSeconds: Double, clippedSamples: Int, failure: String? = nil,
      recordings: [RecordingResult]
    ) {
      self.xruns = xruns
      self.lostSeconds = lostSeconds
      self.clippedSamples = clippedSamples
      self.failure = failure
      self.recordings = recordings
    }
  }
}
