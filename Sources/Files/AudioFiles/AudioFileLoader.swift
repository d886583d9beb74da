// AudioFileLoader.swift: loads a whole audio file at a sample rate. SPDX-License-Identifier: MIT

import CSampleRate

/// Loads whole audio files, such as impulse responses and samples.
package enum AudioFileLoader {
  /// The longest that is taken, in seconds: 64 channels at 48 kHz are 7 GB then.
  package static let longestSeconds = 600.0
  /// Frames that are read at a time.
  private static let pieceFrames = 16_384

  /// Returns the channels of a file as arrays of samples at `sampleRateHz`. [main]
  ///
  /// A file of another rate is converted by libsamplerate's best sinc filter: 144 dB of signal to
  /// noise, flat up to 0.94 of the lower Nyquist frequency. Lengths are rounded up.
  /// - Throws: `AudioFileError`, also if the file is longer than `longestSeconds`.
  package static func read(
    path: String, sampleRateHz: Double
  ) throws(AudioFileError) -> [[Float]] {
    var reader = try AudioFileReader(path: path)
    let rate = Double(reader.sampleRateHz)
    let longest = Int(longestSeconds * rate)
    guard reader.frameCount ?? 0 <= longest else {
      throw .audioTooLong(path: path, limitSeconds: longestSeconds)
    }
    var channels = [[Float]](repeating: [], count: reader.channelCount)
    let piece = UnsafeMutablePointer<Float>.allocate(capacity: reader.channelCount * pieceFrames)
    defer { unsafe piece.deallocate() }
    let rows = unsafe channels.indices.map { unsafe piece + $0 * pieceFrames }
    while true {
      let count = try unsafe reader.read(into: rows, frameCount: pieceFrames)
      guard count > 0 else { break }
      guard channels[0].count + count <= longest else {
        throw .audioTooLong(path: path, limitSeconds: longestSeconds)
      }
      for channel in channels.indices {
        unsafe channels[channel].append(
          contentsOf: UnsafeBufferPointer(start: rows[channel], count: count))
      }
    }
    guard rate != sampleRateHz else { return channels }
    var converted: [[Float]] = []
    for channel in channels {
      guard let row = convert(channel, ratio: sampleRateHz / rate) else {
        throw .rateNotConverted(path: path, sampleRateHz: reader.sampleRateHz, to: sampleRateHz)
      }
      converted.append(row)
    }
    return converted
  }

  /// Converts one channel to another sample rate; returns nil if libsamplerate does not support the
  /// ratio.
  private static func convert(_ samples: [Float], ratio: Double) -> [Float]? {
    let count = Int((Double(samples.count) * ratio).rounded(.up))
    // The frames that the filter omits at the end stay silent.
    var converted = [Float](repeating: 0, count: count)
    let error = unsafe samples.withUnsafeBufferPointer { input in
      unsafe converted.withUnsafeMutableBufferPointer { output in
        var data = unsafe SRC_DATA()
        unsafe data.data_in = input.baseAddress
        unsafe data.data_out = output.baseAddress
        unsafe data.input_frames = input.count
        unsafe data.output_frames = output.count
        unsafe data.src_ratio = ratio
        return unsafe src_simple(&data, Int32(SRC_SINC_BEST_QUALITY), 1)
      }
    }
    return error == 0 ? converted : nil
  }
}
