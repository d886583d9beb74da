// LoudnessMarkerTests.swift: markers and chapters in `outboard render --loudness`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Markers pass a rendering with loudness` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// A second of a tone in `a.wav`.
  private func addSignal() throws {
    let row = (0 ..< 48_000).map { 0.03 * sinf(Float($0) * 0.1) }
    try FloatWave(channels: [row, row], sampleRateHz: 48_000).write(to: scratch.path("a.wav"))
  }

  private func render(_ arguments: String...) throws -> Program.Result {
    try Program.run(["render"] + arguments, in: scratch)
  }

  private func frameCount(_ name: String) -> Int? { scratch.samples(name)?[0].count }

  /// Adds three markers, two with a text, to `a.wav`.
  private func addMarkers() throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.wav")))
    func little(_ values: UInt32...) -> Data {
      values.reduce(into: Data()) { data, value in
        withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    func chunk(_ name: String, _ content: Data) -> Data {
      Data(name.utf8) + little(UInt32(content.count)) + content
    }
    func cue(_ number: UInt32, _ frame: UInt32) -> Data {
      little(number, frame) + Data("data".utf8) + little(0, 0, frame)
    }
    data += chunk("cue ", little(3) + cue(1, 24_000) + cue(2, 480) + cue(3, 40_000))
    data += chunk(
      "LIST",
      Data("adtl".utf8) + chunk("labl", little(1) + Data("Part 2\0\0".utf8))
        + chunk("labl", little(2) + Data("Part 1\0\0".utf8)))
    data.replaceSubrange(4 ..< 8, with: little(UInt32(data.count - 8)))
    try data.write(to: URL(fileURLWithPath: scratch.path("a.wav")))
  }

  @Test func `markers of WAV files are kept, and a note says where they are lost`() throws {
    try addSignal()
    try addMarkers()
    let kept = try render("--loudness", "-20", "a.wav", "-o", "b.wav")
    #expect(kept.status == 0 && kept.error.isEmpty, "\(kept.error)")
    // The markers are read back, also in a rendering with a plugin.
    let again = try render("gain", "--loudness", "-22", "b.wav", "-o", "c.wav")
    #expect(again.status == 0 && again.error.isEmpty, "\(again.error)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("c.wav")))
    let found = try #require(bytes.range(of: Data("cue ".utf8)))
    let cues = bytes[found.upperBound...].prefix(4 + 4 + 3 * 24)
    let frames = (0 ..< 3).map { index in
      (0 ..< 4).reduce(0) { $0 | Int(cues[cues.startIndex + 12 + 24 * index + $1]) << (8 * $1) }
    }
    #expect(frames == [480, 24_000, 40_000])
    #expect(bytes.range(of: Data("Part 1\0".utf8)) != nil)
    #expect(frameCount("c.wav") == 48_000)
    let lost = try render("--loudness", "-20", "b.wav", "-o", "d.flac")
    #expect(lost.status == 0)
    #expect(
      lost.error
        == "outboard: b.wav has markers. d.flac does not get them: set them with a tag editor.\n")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"), "ffmpeg is not installed"
    ),
    arguments: ["mp3", "flac", "ogg", "opus"])
  func `chapters are reported once as not kept`(format: String) throws {
    try addSignal()
    // The program writes chapters of MP3 as such. The others are comments.
    try scratch.write(
      """
      ;FFMETADATA1
      CHAPTER001=00:00:00.000
      CHAPTER001NAME=Intro
      [CHAPTER]
      TIMEBASE=1/1000
      START=0
      END=500
      title=Intro
      """, to: "chapters.txt")
    let made = try Program.shell(
      "ffmpeg -nostdin -loglevel error -i a.wav -i chapters.txt -map_metadata 1 -ar 48000 in.\(format)",
      in: scratch)
    try #require(made.status == 0, "\(made.error)")
    let result = try render("--loudness", "-20", "in.\(format)", "-o", "out.wav")
    #expect(
      result.error
        == "outboard: in.\(format) has chapters. out.wav does not get them: set them with a tag editor.\n"
    )
    let none = try render("--loudness", "-20", "a.wav", "-o", "out.\(format)")
    #expect(none.status == 0 && none.error.isEmpty, "\(none.error)")
    let again = try render("--loudness", "-21", "out.\(format)", "-o", "again.wav")
    #expect(again.status == 0 && again.error.isEmpty, "\(again.error)")
  }
}
