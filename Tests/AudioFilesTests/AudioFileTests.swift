// AudioFileTests.swift: files that are written and read again. SPDX-License-Identifier: MIT

import AudioTestSupport
import Foundation
import Testing

@testable import AudioFiles

@Suite struct AudioFileTests {
  @Test(arguments: ["wav", "aiff", "aif", "caf", "au"], SampleFormat.allCases)
  func `lossless files preserve every bit`(suffix: String, format: SampleFormat) throws {
    let scratch = try TemporaryDirectory()
    for (channels, known) in [(1, true), (2, false), (3, true)] {
      let bits = min(24, format.integerBits ?? 24)
      let samples = noise(channels * 20_001, bits: bits)
      let path = scratch.file("\(channels).\(suffix)")
      #expect(try write(samples, to: path, channels: channels, format: format, known: known) == 0)
      #expect(
        try decodeAudio(path)
          == DecodedAudio(samples: samples, rate: 48_000, channels: channels, note: nil))
    }
  }

  @Test(arguments: [(SampleFormat.s16, 1), (.s24, 2), (.s24, 8)])
  func `FLAC preserves every bit`(format: SampleFormat, channels: Int) throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(channels * 9999, bits: format.integerBits ?? 24)
    try write(samples, to: scratch.file("a.flac"), channels: channels, format: format)
    #expect(try decodeAudio(scratch.file("a.flac")).samples == samples)
  }

  @Test func `a FLAC file without a length is read to its end`() throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(9999)
    try write(samples, to: scratch.file("a.flac"), channels: 1, format: .s16)
    var bytes = try scratch.bytes("a.flac")
    // The 36 bits of STREAMINFO with the number of samples; an encoder on a pipe leaves 0.
    bytes[21] &= 0xf0
    bytes.replaceSubrange(22 ..< 26, with: [0, 0, 0, 0])
    let path = try scratch.put("b.flac", bytes)
    #expect(try AudioFileReader(path: path).frameCount == nil)
    #expect(
      try decodeAudio(path) == DecodedAudio(samples: samples, rate: 48_000, channels: 1, note: nil))
  }

  @Test(arguments: ["ogg", "opus"])
  func `lossy files preserve the length, and the signal approximately`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let sine = (0 ..< 48_000).flatMap { frame -> [Float] in
      let value = Float(0.5 * sin(Double(frame) * 2 * .pi * 440 / 48_000))
      return [value, value]
    }
    try write(sine, to: scratch.file("a.\(suffix)"), channels: 2)
    let captured = try decodeAudio(scratch.file("a.\(suffix)"))
    #expect(captured.samples.count == sine.count)
    let error = zip(captured.samples, sine).dropFirst(4800).dropLast(4800).map { $0 - $1 }
    let power = error.reduce(0) { $0 + Double($1 * $1) } / Double(error.count)
    #expect(power < 0.125 * 1e-3)
  }

  @Test(arguments: ["wav", "aiff", "caf", "au"])
  func `64 channels at 384 kHz work`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(64 * 3000)
    try write(samples, to: scratch.file("a.\(suffix)"), channels: 64, rate: 384_000)
    #expect(
      try decodeAudio(scratch.file("a.\(suffix)"))
        == DecodedAudio(samples: samples, rate: 384_000, channels: 64, note: nil))
  }

  @Test func `integers clip instead of wrapping, and clipped samples are counted`() throws {
    let scratch = try TemporaryDirectory()
    let samples: [Float] = [1, -1, 1.5, -1.5, .infinity, .nan, 0.5, 1e9]
    for format in [SampleFormat.s16, .s24, .s32] {
      let path = scratch.file("\(format.rawValue).wav")
      #expect(try write(samples, to: path, channels: 1, format: format) == 5)
      let top = Float(1 - exp2(Double(1 - (format.integerBits ?? 0))))
      #expect(try decodeAudio(path).samples == [top, -1, top, -1, top, 0, 0.5, top])
    }
    #expect(try write(samples, to: scratch.file("f.wav"), channels: 1) == 0)
  }

  @Test func `integers are rounded to the nearest`() throws {
    let scratch = try TemporaryDirectory()
    let step: Float = 1 / 32_768
    let path = scratch.file("a.wav")
    try write(
      [0.4 * step, 0.6 * step, -0.6 * step, -1.4 * step], to: path, channels: 1, format: .s16)
    #expect(try decodeAudio(path).samples == [0, step, -step, -step])
  }

  @Test(arguments: ["wav", "flac", "aiff", "caf", "au"])
  func `equal frames give equal bytes`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(30_000)
    try write(samples, to: scratch.file("a.\(suffix)"), channels: 2)
    sleep(1)
    try write(samples, to: scratch.file("b.\(suffix)"), channels: 2)
    #expect(try scratch.bytes("a.\(suffix)") == scratch.bytes("b.\(suffix)"))
  }

  @Test func `a file appears when it is finished, and not before`() throws {
    let scratch = try TemporaryDirectory()
    do {
      var writer = try AudioFileWriter(
        .init(path: scratch.file("a.wav"), sampleRateHz: 48_000, channelCount: 1))
      try writer.write(noise(100_000), frameCount: 100_000)
      #expect(!scratch.names.contains("a.wav"))
    }
    #expect(scratch.names == [])
    try write([0.5], to: scratch.file("a.wav"), channels: 1)
    try write([0.25], to: scratch.file("a.wav"), channels: 1, replaces: true)
    #expect(scratch.names == ["a.wav"])
    #expect(try decodeAudio(scratch.file("a.wav")).samples == [0.25])
  }

  @Test(arguments: ["wav", "aiff", "au", "flac", "caf", "ogg"])
  func `a pipe is read like a file`(suffix: String) throws {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.\(suffix)")
    try write(noise(80_000), to: path, channels: 2)
    let pipe = Pipe()
    let bytes = Data(try scratch.bytes("a.\(suffix)"))
    Thread.detachNewThread {
      try? pipe.fileHandleForWriting.write(contentsOf: bytes)
      try? pipe.fileHandleForWriting.close()
    }
    // The pipe is closed with the last reference to it.
    let captured = try withExtendedLifetime(pipe) {
      try decodeAudio(AudioFileReader(stream: pipe.fileHandleForReading.fileDescriptor))
    }
    #expect(captured == (try decodeAudio(path)))
  }

  @Test(arguments: SampleFormat.allCases)
  func `a WAV stream is read from a pipe and from a file`(format: SampleFormat) throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(9_003)
    _ = try scratch.put("a.wav", [])
    let file = try #require(FileHandle(forWritingAtPath: scratch.file("a.wav")))
    let pipe = Pipe()
    let ends = [file.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor]
    Thread.detachNewThread {
      for end in ends {
        var settings = AudioFileWriter.Settings(path: "-", sampleRateHz: 44_100, channelCount: 3)
        settings.format = format
        guard var writer = try? AudioFileWriter(settings, stream: end, name: "A stream") else {
          return
        }
        try? writer.write(samples, frameCount: 3001)
        try? writer.finish()
        if end == ends[1] { try? pipe.fileHandleForWriting.close() }
      }
    }
    let expected = DecodedAudio(samples: samples, rate: 44_100, channels: 3, note: nil)
    // File and pipe are closed with the last references to them.
    let captured = try withExtendedLifetime((file, pipe)) {
      try decodeAudio(AudioFileReader(stream: pipe.fileHandleForReading.fileDescriptor))
    }
    #expect(captured == expected)
    #expect(try decodeAudio(scratch.file("a.wav")) == expected)
  }

  @Test func `raw samples are read in the stated format`() throws {
    let scratch = try TemporaryDirectory()
    let samples = noise(600)
    try write(samples, to: scratch.file("a.raw"), channels: 2, format: .s16)
    let file = try #require(FileHandle(forReadingAtPath: scratch.file("a.raw")))
    let raw = RawFormat(sampleRateHz: 8000, channelCount: 2, format: .s16)
    let captured = try withExtendedLifetime(file) {
      try decodeAudio(AudioFileReader(stream: file.fileDescriptor, raw: raw))
    }
    #expect(captured == DecodedAudio(samples: samples, rate: 8000, channels: 2, note: nil))
  }
}
