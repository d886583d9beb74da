// PipeFormat.swift: the format of samples on standard input or output. SPDX-License-Identifier: MIT

package import AudioDriver
package import AudioFiles

/// The format of a stream of interleaved frames.
package struct PipeFormat: Sendable, Equatable {
  /// The sample rate, in Hz.
  package var sampleRateHz: Int
  /// The number of samples in a frame.
  package var channelCount: Int
  /// The sample format.
  package var format: DeviceFormat

  /// The valid sample rates.
  package static let rates = 1 ... 768_000
  /// The channel counts that the resampler supports.
  package static let channelCounts = 1 ... 128

  /// Creates a format.
  package init(sampleRateHz: Int, channelCount: Int, format: DeviceFormat) {
    self.sampleRateHz = sampleRateHz
    self.channelCount = channelCount
    self.format = format
  }

  /// Parses `48000:2:S16`: rate, channels and a sample format in the spelling of files, devices or
  /// ALSA; returns nil for anything else.
  package init?(text: String, channelCounts: ClosedRange<Int> = Self.channelCounts) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let rate = Int(parts[0]), Self.rates ~= rate,
      let channels = Int(parts[1]), channelCounts ~= channels,
      let format = DeviceFormat(streamName: String(parts[2]))
    else { return nil }
    self.init(sampleRateHz: rate, channelCount: channels, format: format)
  }

  /// The size of a frame, in bytes.
  var frameByteCount: Int { channelCount * format.byteCount }
}

extension DeviceFormat {
  /// Finds the format of a stream by its name, ignoring case. [any]
  ///
  /// Names of file formats come first: `s24` has three bytes, as in a file; ALSA's `S24_LE` has
  /// four.
  package init?(streamName: String) {
    if let kept = SampleFormat(rawValue: streamName.lowercased()) {
      self = kept.asDevice
    } else {
      self.init(name: streamName)
    }
  }
}

extension RawFormat {
  /// The channel counts that files support.
  private static let channelCounts = 1 ... 1_024

  /// Parses a format for input that is read like a file; also returns nil for samples that files do
  /// not have. [any]
  package init?(text: String) {
    guard let stream = PipeFormat(text: text, channelCounts: Self.channelCounts),
      let format = SampleFormat.allCases.first(where: { $0.asDevice == stream.format })
    else { return nil }
    self.init(
      sampleRateHz: stream.sampleRateHz, channelCount: stream.channelCount, format: format)
  }
}

extension SampleFormat {
  /// The device format with the same samples as a file format.
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
