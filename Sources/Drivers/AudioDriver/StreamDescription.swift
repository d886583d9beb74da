// StreamDescription.swift: the negotiated settings of devices. SPDX-License-Identifier: MIT

/// The negotiated stream.
package struct StreamDescription: Sendable, Equatable {
  /// The capture devices, in the order of the request.
  package var inputs: [DeviceStream]
  /// The playback devices, in the order of the request.
  package var outputs: [DeviceStream]
  /// The sample rate of the graph, in Hz.
  package var sampleRateHz: Double
  /// The period in frames: the longest block of the engine.
  package var periodFrames: Int
  /// Whether the first capture and the first playback device start and stop together in the kernel.
  package var isLinked: Bool
  /// The latency from the first capture to the first playback device in frames, as the settings
  /// imply, without converters and the graph.
  ///
  /// Nil if one of the devices does not exist.
  package var roundTripFrames: Int?
  /// Messages about requested settings that are not available.
  package var notes: [String]
  /// Whether a card or a clock determines when blocks come.
  ///
  /// Otherwise blocks come as fast as they are made and taken, and the caller may wait for them.
  package var isRealTime = true

  /// Creates a description.
  package init(
    inputs: [DeviceStream], outputs: [DeviceStream], sampleRateHz: Double, periodFrames: Int,
    isLinked: Bool, roundTripFrames: Int? = nil, notes: [String] = []
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.sampleRateHz = sampleRateHz
    self.periodFrames = periodFrames
    self.isLinked = isLinked
    self.roundTripFrames = roundTripFrames
    self.notes = notes
  }

  /// The number of frames that the engine renders at a time: one period of the primary devices.
  ///
  /// Fewer if a reopened device requires it.
  package var blockFrames: Int {
    (inputs + outputs).filter { !$0.isFollowing }.map(\.periodFrames).reduce(periodFrames, min)
  }
  /// The first capture device, if there is one.
  package var input: DeviceStream? { inputs.first }
  /// The first playback device, if there is one.
  package var output: DeviceStream? { outputs.first }
  /// The number of capture channels of all devices.
  package var inputChannelCount: Int { inputs.reduce(0) { $0 + $1.channelCount } }
  /// The number of playback channels of all devices.
  package var outputChannelCount: Int { outputs.reduce(0) { $0 + $1.channelCount } }
}

/// The settings of one direction of a device.
package struct DeviceStream: Sendable, Equatable {
  /// The name that it was opened by, for example `hw:0` or `default`.
  package var device: String
  /// The readable name.
  package var name: String
  /// The number of channels that the graph uses.
  package var channelCount: Int
  /// The sample format: `S16`, `S24_3`, `S24`, `S32` or `FLOAT`, with `_BE` where big-endian.
  package var format: String
  /// The sample rate of the device, in Hz.
  package var sampleRateHz: Double
  /// The period of the device, in frames.
  package var periodFrames: Int
  /// The maximum fill of its buffer, in frames.
  package var bufferFrames: Int
  /// Whether the device has an independent clock and is resampled to the primary device.
  package var isFollowing: Bool

  /// Creates a description.
  package init(
    device: String, name: String, channelCount: Int, format: String, sampleRateHz: Double,
    periodFrames: Int, bufferFrames: Int, isFollowing: Bool = false
  ) {
    self.device = device
    self.name = name
    self.channelCount = channelCount
    self.format = format
    self.sampleRateHz = sampleRateHz
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.isFollowing = isFollowing
  }
}
