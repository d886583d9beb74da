// CueSheetTests.swift: tracks of cue sheets, also of damaged ones. SPDX-License-Identifier: MIT

import LV2Fixtures
import Testing

@testable import AudioFiles

@Suite struct CueSheetTests {
  /// A track of a FLAC block: its start and its indices (number, position), in samples.
  private func track(
    _ number: UInt8, _ start: Int, _ indices: [(UInt8, Int)], isData: Bool = false
  ) -> [UInt8] {
    var bytes = wide(start) + [number] + [UInt8](repeating: 0, count: 12)
    bytes += [isData ? 0x80 : 0] + [UInt8](repeating: 0, count: 13) + [UInt8(indices.count)]
    return bytes + indices.flatMap { wide($0.1) + [$0.0, 0, 0, 0] }
  }

  private func wide(_ number: Int) -> [UInt8] {
    (0 ..< 8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
  }

  private func block(_ tracks: [[UInt8]]) -> [UInt8] {
    [UInt8](repeating: 0, count: 395) + [UInt8(tracks.count)] + tracks.flatMap(\.self)
  }

  private var sheet: [UInt8] {
    block([
      track(1, 0, [(1, 0)]), track(2, 44_100, [(0, 0), (1, 22_050), (2, 30_000)]),
      track(3, 88_200, [(1, 0)], isData: true), track(4, 132_300, []), track(170, 176_400, []),
    ])
  }

  @Test func `audio tracks of a block begin at their index 1`() {
    let chapters = CueSheet.chapters(block: sheet, rateHz: 44_100)
    #expect(
      chapters == [
        FileMarker(frame: 0, text: "Track 1"), FileMarker(frame: 1500, text: "Track 2"),
        FileMarker(frame: 3000, text: "Track 4"),
      ])
    #expect(CueSheet.chapters(block: sheet, rateHz: 0).isEmpty)
  }

  @Test func `a damaged or truncated block never fails`() {
    for length in sheet.indices {
      #expect(CueSheet.chapters(block: Array(sheet[..<length]), rateHz: 44_100).count <= 3)
    }
    for index in 395 ..< sheet.count {
      var damaged = sheet
      damaged[index] = 0xff
      for chapter in CueSheet.chapters(block: damaged, rateHz: 44_100) {
        #expect(0 ... Chapters.lastStart ~= chapter.frame)
      }
    }
  }

  @Test func `the block is read if there are no chapters in comments`() throws {
    func part(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
      [kind] + big(content.count).dropFirst() + content
    }
    // 44100 Hz in the first 20 bits behind the sizes.
    let info = [UInt8](repeating: 0, count: 10) + [0x0a, 0xc4, 0x40]
    func starts(_ texts: [String]) throws -> [Int] {
      let file =
        Array("fLaC".utf8) + part(0, info) + part(5, sheet) + part(0x84, comments(texts))
      return try withFile(file) { Chapters.read($0).map(\.frame) }
    }
    #expect(try starts(["TITLE=x"]) == [0, 1500, 3000])
    #expect(try starts(["CHAPTER001=00:00:07.000"]) == [7000])
    let text = "FILE \"a\" WAVE\nTRACK 1 AUDIO\nINDEX 01 01:00:74"
    #expect(try starts(["CueSheet=\(text)"]) == [60_987])
    #expect(try starts(["CUESHEET=nothing"]) == [0, 1500, 3000])
    #expect(try starts(["CUESHEET=\(text)", "CHAPTER001=00:00:07.000"]) == [7000])
  }

  private func chapters(_ text: String) -> [FileMarker] { CueSheet.chapters(text: text.utf8) }

  @Test func `titles and starts of the first file are read`() {
    let text = """
      \u{feff}REM GENRE "Test"\r
      TITLE "Album"\r
      FILE "one two.wav" WAVE\r
        TRACK 01 AUDIO\r
          TITLE "A "quoted" Ü"\r
          PERFORMER "X"\r
          INDEX 00 00:00:00\r
          INDEX 01 00:02:15\r
        TRACK 02 MODE1/2352\r
          TITLE "Data"\r
          INDEX 01 00:30:00\r
        track 03 audio\r
          index 01 70:59:74\r
          title Bare words \r
          index 02 71:00:00\r
        TRACK 04 AUDIO\r
          INDEX 01 71:10:00\r
      FILE "other.wav" WAVE\r
        TRACK 05 AUDIO\r
          INDEX 01 00:00:00\r
      """
    #expect(
      chapters(text) == [
        FileMarker(frame: 2_200, text: "A \"quoted\" Ü"),
        FileMarker(frame: 4_259_987, text: "Bare words"),
        FileMarker(frame: 4_270_000, text: "Track 4"),
      ])
  }

  @Test(arguments: [
    "", "INDEX 01 00:00:00", "TRACK\nINDEX 01 00:00:00", "TRACK x AUDIO\nINDEX 01 00:00:00",
    "TRACK 01 AUDIO\nINDEX 01", "TRACK 01 AUDIO\nINDEX 01 00:00",
    "TRACK 01 AUDIO\nINDEX 02 00:00:00",
    "TRACK 01 AUDIO\nINDEX 01 00:60:00", "TRACK 01 AUDIO\nINDEX 01 00:00:75",
    "TRACK 01 AUDIO\nINDEX 01 -1:00:00", "TRACK 01 AUDIO\nINDEX 01 99999999999999999999:00:00",
    "TRACK -9223372036854775808 AUDIO\nINDEX 01 00:00:00", "TITLE \"\nTRACK 01 AUDIO\nTITLE \"",
  ])
  func `text without a start has no chapters`(text: String) { #expect(chapters(text).isEmpty) }

  @Test func `long titles are cut, and many tracks are limited`() {
    let title = String(repeating: "x", count: 5_000)
    let long = "TRACK 01 AUDIO\nTITLE \"\(title)\"\nINDEX 01 00:00:00\n"
    #expect(chapters(long).first?.text.count == Chapters.longestTitle)
    let many = String(repeating: "TRACK 1 AUDIO\nINDEX 01 00:00:01\n", count: 20_000)
    #expect(chapters(many).count == Chapters.maximumCount)
  }
}
