// VorbisEncoderTests.swift: Vorbis files that are readable while they grow. SPDX-License-Identifier: MIT

import AudioTestSupport
import LV2Fixtures
import Testing

@testable import AudioFiles

@Suite struct VorbisEncoderTests {
  /// Writes 3 s to a growing file without completing it, and returns the number of readable frames.
  private func framesReadable(amplitude: Float, channels: Int) throws -> Int {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.ogg")
    var settings = AudioFileWriter.Settings(
      path: path, sampleRateHz: 48_000, channelCount: channels)
    settings.isGrowing = true
    var writer = try AudioFileWriter(settings)
    for _ in 0 ..< 30 {
      let samples = noise(4800 * channels).map { $0 * amplitude }
      try writer.write(samples, frameCount: 4800)
    }
    try writer.refreshHeader()
    let count = try decodeAudio(path).samples.count / channels
    try writer.finish()
    #expect(try decodeAudio(path).samples.count / channels == 144_000)
    return count
  }

  @Test(arguments: [0, 0.001, 1] as [Float], [1, 2, 6])
  func `a growing file lacks less than half a second, also in silence`(
    amplitude: Float, channels: Int
  ) throws {
    let count = try framesReadable(amplitude: amplitude, channels: channels)
    #expect(count > 144_000 - 24_000 && count <= 144_000, "\(count)")
  }

  @Test(arguments: [8000, 44_100, 192_000, 200_000], [1, 2, 3, 8, 255])
  func `every offered rate and channel count is encoded`(rate: Int, channels: Int) throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(3000 * channels)
    try write(samples, to: scratch.file("a.ogg"), channels: channels, rate: rate)
    let captured = try decodeAudio(scratch.file("a.ogg"))
    #expect(captured.samples.count == samples.count)
    #expect((captured.rate, captured.channels) == (rate, channels))
  }
}
