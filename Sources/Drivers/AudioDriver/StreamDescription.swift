// StreamDescription.swift: what was got from devices. SPDX-License-Identifier: MIT

/// What was negotiated.
package struct StreamDescription: Sendable, Equatable {
  /// The capture devices, in the order of the request.
  package var inputs: [DeviceStream]
  /// The playback devices, in the order of the request.
  package var outputs: [DeviceStream]
  /// Frames a second of the graph.
  package var sampleRateHz: Double
  /// Frames in a period: the longest block that the engine will be given.
  package var periodFrames: Int
  /// Whether the first capture and the first playback device start and stop together in the kernel.
  package var isLinked: Bool
  /// Frames from the first capture device to the first playback device, as the settings imply, not
  /// counting converters and what the graph itself adds; nil where one of them is not there.
  package var roundTripFrames: Int?
  /// What was asked for and not got, one sentence each.
  package var notes: [String]
  /// Whether a card or a clock determines when blocks come.
  ///
  /// Otherwise blocks come as fast as they are made and taken, and the caller may wait for them.
  package var keepsPace = true

  /// All of it.
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
  /// Channels that can be captured, over all devices.
  package var inputChannelCount: Int { inputs.reduce(0) { $0 + $1.channelCount } }
  /// Channels that can be played, over all devices.
  package var outputChannelCount: Int { outputs.reduce(0) { $0 + $1.channelCount } }
}

/// One direction of a device as it was set up.
package struct DeviceStream: Sendable, Equatable {
  /// The name it was opened by, for instance `hw:0` or `default`.
  package var device: String
  /// What a person calls it.
  package var name: String
  /// How many of its channels the graph sees.
  package var channelCount: Int
  /// The sample format: `S16`, `S24_3`, `S24`, `S32` or `FLOAT`, with `_BE` where big-endian.
  package var format: String
  /// Its own frames a second.
  package var sampleRateHz: Double
  /// Frames in its period.
  package var periodFrames: Int
  /// Frames that are held in its buffer at most.
  package var bufferFrames: Int
  /// Whether the device has an independent clock and is resampled to the primary device.
  package var isFollowing: Bool

  /// All of it.
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
