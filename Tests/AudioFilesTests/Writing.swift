// Writing.swift: writes a file of known frames. SPDX-License-Identifier: MIT

@testable import AudioFiles

/// Writes interleaved samples to a file; returns how many were clipped.
@discardableResult
func write(
  _ samples: [Float], to path: String, channels: Int, rate: Int = 48_000,
  format: SampleFormat? = nil, replaces: Bool = false, known: Bool = true
) throws -> Int {
  var settings = AudioFileWriter.Settings(
    path: path, sampleRateHz: rate, channelCount: channels)
  settings.format = format
  settings.replaces = replaces
  settings.longestFrameCount = known ? samples.count / channels : nil
  var writer = try AudioFileWriter(settings)
  try writer.write(samples, frameCount: samples.count / channels)
  try writer.finish()
  return writer.clippedSampleCount
}
