// PipeFormat.swift: what the samples on standard input or output are. SPDX-License-Identifier: MIT

package import AudioDriver
package import AudioFiles

/// How sound lies on a stream: interleaved frames, one after the other.
package struct PipeFormat: Sendable, Equatable {
  /// Frames a second.
  package var sampleRateHz: Int
  /// Samples in a frame.
  package var channelCount: Int
  /// How a sample lies.
  package var format: DeviceFormat

  /// The rates that are believed.
  package static let rates = 1 ... 768_000
  /// As many channels as the resampler takes.
  package static let channelCounts = 1 ... 128

  /// All of it.
  package init(sampleRateHz: Int, channelCount: Int, format: DeviceFormat) {
    self.sampleRateHz = sampleRateHz
    self.channelCount = channelCount
    self.format = format
  }

  /// Reads `48000:2:S16`: rate, channels and a sample format as files, devices or ALSA call it; nil for
  /// anything else.
  package init?(text: String, channelCounts: ClosedRange<Int> = Self.channelCounts) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let rate = Int(parts[0]), Self.rates ~= rate,
      let channels = Int(parts[1]), channelCounts ~= channels,
      let format = DeviceFormat(streamName: String(parts[2]))
    else { return nil }
    self.init(sampleRateHz: rate, channelCount: channels, format: format)
  }

  /// Bytes that a frame takes.
  var frameByteCount: Int { channelCount * format.byteCount }
}

extension DeviceFormat {
  /// The format of samples on a stream that a word means, in either case.
  ///
  /// The words for files go first: `s24` has three bytes, as in a file; ALSA's `S24_LE` has four. [any]
  package init?(streamName: String) {
    if let kept = SampleFormat(rawValue: streamName.lowercased()) {
      self = kept.asDevice
    } else {
      self.init(name: streamName)
    }
  }
}

extension RawFormat {
  /// As many channels as files have.
  private static let channelCounts = 1 ... 1_024

  /// The same for what is read like a file; nil for samples that files do not have, too. [any]
  package init?(text: String) {
    guard let stream = PipeFormat(text: text, channelCounts: Self.channelCounts),
      let format = SampleFormat.allCases.first(where: { $0.asDevice == stream.format })
    else { return nil }
    self.init(
      sampleRateHz: stream.sampleRateHz, channelCount: stream.channelCount, format: format)
  }
}

extension SampleFormat {
  /// What samples of a file are called where they come out of devices.
  var asDevice: DeviceFormat {
    switch self {
    case .s16: .s16
    case .s24: .s24Packed
    case .s32: .s32
    case .float: .float
    case .double: .float64
    }
  }
}
