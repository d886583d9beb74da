// TruncationCheckTests.swift: tests of TruncationCheck.swift. SPDX-License-Identifier: MIT

import AudioTestSupport
import Testing

@testable import AudioFiles

@Suite struct TruncationCheckTests {
  /// The form of the audio data's size in the header.
  enum Size: CaseIterable {
    case right, zero, ones
  }

  private static let frameCount = 1_000
  private static let kinds = ["wav", "rf64", "w64", "aiff", "caf", "au"]

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0 ..< count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

  /// A file with 16-bit mono audio.
  private static func file(_ kind: String, _ size: Size = .right) -> [UInt8] {
    let data = (0 ..< frameCount * 2).map { UInt8($0 % 7) }
    func declared(_ count: Int) -> Int { [.right: count, .zero: 0, .ones: -1][size] ?? count }
    let format = little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4)
    let wave = format + little(2, 2) + little(16, 2)
    func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    switch kind {
    case "wav":
      return text("RIFF") + little(declared(36 + data.count), 4) + text("WAVEfmt ") + little(16, 4)
        + wave + text("data") + little(declared(data.count), 4) + data
    case "rf64":
      return text("RF64") + little(-1, 4) + text("WAVEds64") + little(28, 4)
        + little(declared(72 + data.count), 8) + little(declared(data.count), 8)
        + little(frameCount, 8) + little(0, 4) + text("fmt ") + little(16, 4) + wave + text("data")
        + little(-1, 4) + data
    case "w64":
      let tail: [UInt8] = [
        0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0x00, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a,
      ]
      let riff: [UInt8] = [
        0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 0x04, 0xc1, 0x00, 0x00,
      ]
      return text("riff") + riff + little(declared(104 + data.count), 8) + text("wave") + tail
        + text("fmt ") + tail + little(40, 8) + wave + text("data") + tail
        + little(declared(24 + data.count), 8) + data
    case "aiff":
      let rate: [UInt8] = [0x40, 0x0e, 0xbb, 0x80, 0, 0, 0, 0, 0, 0]
      return text("FORM") + big(declared(46 + data.count), 4) + text("AIFFCOMM") + big(18, 4)
        + big(1, 2) + big(declared(frameCount), 4) + big(16, 2) + rate + text("SSND")
        + big(declared(8 + data.count), 4) + big(0, 8) + data
    case "caf":
      return text("caff") + big(1, 2) + big(0, 2) + text("desc") + big(32, 8)
        + big(Int(bitPattern: UInt((48_000.0).bitPattern)), 8) + text("lpcm") + big(0, 4)
        + big(2, 4) + big(1, 4) + big(1, 4) + big(16, 4) + text("data")
        + big(declared(4 + data.count), 8) + big(0, 4) + data
    default:
      return text(".snd") + big(24, 4) + big(declared(data.count), 4) + big(3, 4)
        + big(48_000, 4) + big(1, 4) + data
    }
  }

  @Test(arguments: kinds) func `a truncated file is reported as such`(kind: String) throws {
    let scratch = try TemporaryDirectory()
    let bytes = Self.file(kind)
    #expect(try decodeAudio(try scratch.put("whole", bytes)).note == nil)
    for lostFrameCount in [1, 2, 500] {
      let path = try scratch.put("cut", Array(bytes.dropLast(2 * lostFrameCount)))
      let note: String?
      do {
        note = try decodeAudio(path).note
      } catch AudioFileError.truncated {
        // libsndfile does not open a CAF file that lacks more than a few bytes.
        #expect(kind == "caf")
        continue
      }
      #expect(
        note == "\(path) is truncated: its header announces \(Self.frameCount) frames, but it holds"
          + " \(Self.frameCount - lostFrameCount).")
    }
  }

  @Test(arguments: kinds, [Size.zero, .ones])
  func `an unknown length in the header of a piped file is not a truncation`(
    kind: String, size: Size
  ) throws {
    let scratch = try TemporaryDirectory()
    let path = try scratch.put("pipe", Self.file(kind, size))
    // libsndfile reports some of them as empty or malformed.
    guard let sound = try? decodeAudio(path) else { return }
    #expect(sound.note == nil && sound.samples.count == Self.frameCount)
  }

  @Test func `a partial frame at the end is ignored`() throws {
    let scratch = try TemporaryDirectory()
    let path = try scratch.put("cut", Self.file("wav").dropLast(3))
    #expect(
      try decodeAudio(path).note
        == "\(path) is truncated: its header announces 1000 frames, but it holds 998.")
  }
}
