// WAVCueChunksTests.swift: marks inside WAV files. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AudioFiles

@Suite struct WAVCueChunksTests {
  private let marks = [
    FileMarker(frame: 10, text: "chorus"), FileMarker(frame: 700, frameCount: 20, text: "lost"),
  ]

  /// The chunks of a file by their names.
  private func chunks(_ data: Data) -> [String: Data] {
    var found: [String: Data] = [:]
    var place = 12
    while place + 8 <= data.count {
      let name = String(decoding: data[place ..< place + 4], as: UTF8.self)
      let size = (0 ..< 4).reduce(0) { $0 | Int(data[place + 4 + $1]) << (8 * $1) }
      found[name] = Data(data[(place + 8) ..< min(data.count, place + 8 + size)])
      place += 8 + size + size % 2
    }
    return found
  }

  @Test(arguments: [SampleFormat.s16, .s24, .float])
  func `a file with marks has the same audio and correct sizes`(
    _ format: SampleFormat
  ) throws {
    let path = NSTemporaryDirectory() + "outboard-cues-\(UUID().uuidString).wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let samples = (0 ..< 1_001).map { Float($0 % 100) / 128 }
    var settings = AudioFileWriter.Settings(path: path, sampleRateHz: 48_000, channelCount: 1)
    (settings.format, settings.isGrowing) = (format, true)
    var writer = try AudioFileWriter(settings)
    try writer.write(samples, frameCount: 1_001)
    try writer.finish()
    try writer.append(marks)

    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let size = (0 ..< 4).reduce(0) { $0 | Int(data[4 + $1]) << (8 * $1) }
    #expect(size == data.count - 8)
    let chunks = chunks(data)
    #expect(chunks["cue "]?.count == 4 + 2 * 24)
    #expect(chunks["cue "].map { Array($0[4 ..< 12]) } == [1, 0, 0, 0, 10, 0, 0, 0])
    let list = try #require(chunks["LIST"])
    let texts = String(decoding: list, as: UTF8.self)
    #expect(texts.hasPrefix("adtllabl") && texts.contains("chorus\0") && texts.contains("rgn "))

    var reader = try AudioFileReader(path: path)
    var captured = [Float](repeating: 0, count: 1_100)
    let count = try captured.withUnsafeMutableBufferPointer { row in
      let start = try #require(row.baseAddress)
      return try reader.read(into: [start], frameCount: 1_100)
    }
    #expect(count == 1_001 && captured.starts(with: samples))
  }

  @Test func `without marks no chunk is written, and marks beyond 32 bits are omitted`() {
    #expect(WAVCueChunks.chunks([]) == [])
    #expect(WAVCueChunks.chunks([FileMarker(frame: 1 << 33, text: "late")]) == [])
    let large = Array("RF64".utf8) + [255, 255, 255, 255] + Array("WAVEds64".utf8)
    let size = WAVCueChunks.size(1 << 33, header: large)
    #expect(size?.offset == 20 && size?.bytes == [248, 255, 255, 255, 1, 0, 0, 0])
    #expect(WAVCueChunks.size(1 << 33, header: Array("RIFF".utf8)) == nil)
  }
}
