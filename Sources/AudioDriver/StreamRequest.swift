// StreamRequest.swift: what a user asks of a device, and what was got. SPDX-License-Identifier: MIT

/// What is asked of a driver; nil leaves the choice to the device and the driver.
package struct StreamRequest: Sendable, Equatable {
  /// The capture device; nil for no input.
  package var inputDevice: String?
  /// The playback device; nil for no output.
  package var outputDevice: String?
  /// Channels to capture.
  package var inputChannelCount: Int?
  /// Channels to play.
  package var outputChannelCount: Int?
  /// Frames a second.
  package var sampleRateHz: Int?
  /// Frames in a period.
  package var periodFrames: Int?
  /// Periods in the device's buffer, at least 2.
  package var periodCount: Int?
  /// The device's sample format, in the spelling of `DeviceStream.format`.
  package var format: String?

  /// Nothing asked, no device.
  package init() {}
}

/// What was negotiated.
package struct StreamDescription: Sendable, Equatable {
  /// The capture side, if there is one.
  package var input: DeviceStream?
  /// The playback side, if there is one.
  package var output: DeviceStream?
  /// Frames a second, the same on both sides.
  package var sampleRateHz: Double
  /// Frames in a period: the longest block that the engine will be given.
  package var periodFrames: Int
  /// Whether the two sides start and stop together in the kernel.
  package var isLinked: Bool
  /// What was asked for and not got, one sentence each.
  package var notes: [String]

  /// All of it.
  package init(
    input: DeviceStream?, output: DeviceStream?, sampleRateHz: Double, periodFrames: Int,
    isLinked: Bool, notes: [String] = []
  ) {
    self.input = input
    self.output = output
    self.sampleRateHz = sampleRateHz
    self.periodFrames = periodFrames
    self.isLinked = isLinked
    self.notes = notes
  }
}

/// One direction of a device as it was set up.
package struct DeviceStream: Sendable, Equatable {
  /// The name it was opened by, for instance `hw:0` or `default`.
  package var device: String
  /// What a person calls it.
  package var name: String
  /// How many channels.
  package var channelCount: Int
  /// The sample format: `S16`, `S24_3`, `S24`, `S32` or `FLOAT`, with `_BE` where big-endian.
  package var format: String
  /// Frames in a period.
  package var periodFrames: Int
  /// Frames in the device's buffer.
  package var bufferFrames: Int

  /// All of it.
  package init(
    device: String, name: String, channelCount: Int, format: String, periodFrames: Int,
    bufferFrames: Int
  ) {
    self.device = device
    self.name = name
    self.channelCount = channelCount
    self.format = format
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
  }
}
