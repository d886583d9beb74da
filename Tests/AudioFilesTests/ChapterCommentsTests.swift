// ChapterCommentsTests.swift: chapters in Vorbis comments, also in damaged ones. SPDX-License-Identifier: MIT

import LV2Fixtures
import Testing

@testable import AudioFiles

@Suite struct ChapterCommentsTests {
  private func chapters(_ block: [UInt8]) -> [FileMarker] { ChapterComments.chapters(block) }

  @Test func `numbers, times and titles are read in any order and case`() {
    let found = chapters(
      comments([
        "TITLE=CHAPTER009=00:00:09.000", "chapter002Name=Zwei = Ü", "CHAPTER002=00:01:01.5",
        "CHAPTER01=00:00:00.250", "CHAPTER003=01:00:00", "CHAPTER003URL=x",
        "CHAPTER004NAME=No time",
        "Chapter000=00:00:00.000",
      ]))
    #expect(
      found == [
        FileMarker(frame: 0, text: ""), FileMarker(frame: 250, text: ""),
        FileMarker(frame: 61_500, text: "Zwei = Ü"), FileMarker(frame: 3_600_000, text: ""),
      ])
  }

  @Test func `duplicate numbers and invalid times are ignored`() {
    let times = [
      "", "1", "00:00", "00:00:00:00", "-1:00:00", "00:60:00", "00:00:60", "00:00:nan", "00:00:inf",
      "00:00:1e300", "99999:00:00", "1194:00:00", "0x1:0:0", ":::", "65535:59:59",
    ]
    let invalid = times.enumerated().map { "CHAPTER\(100 + $0)=\($1)" }
    let found = chapters(
      comments(
        invalid + [
          "CHAPTER001=00:00:01.000", "CHAPTER001NAME=first", "CHAPTER001=00:00:02.000",
          "CHAPTER001NAME=second", "CHAPTER1=00:00:00.000", "CHAPTER1234=00:00:00.000", "CHAPTER=",
          "CHAPTER-01=00:00:00.000", "CHAPTER001", "CHAPTER٠٠١=00:00:00.000", "=", "",
        ]))
    #expect(found == [FileMarker(frame: 1000, text: "first")])
  }

  @Test func `invalid UTF-8, NUL characters and long titles give a title that can be written`() {
    let name = Array("CHAPTER001NAME=".utf8)
    func title(_ bytes: [UInt8]) -> String? {
      chapters(comments([Array("CHAPTER001=00:00:00.000".utf8), name + bytes])).first?.text
    }
    #expect(title([0xff, 65]) == "\u{fffd}A" && title([65, 0, 66]) == "A" && title([]) == "")
    #expect(title([UInt8](repeating: 65, count: 100_000))?.count == 1000)
    #expect(chapters(comments([[0xff] + name, [UInt8](repeating: 0xff, count: 20)])).isEmpty)
  }

  @Test func `damaged and truncated comments never fail`() {
    let block = comments(["CHAPTER001=00:00:01.000", "CHAPTER001NAME=A", "CHAPTER002=00:00:02.000"])
    #expect(chapters(block).count == 2)
    for length in block.indices { #expect(chapters(Array(block[..<length])).count < 2) }
    for index in block.indices {
      for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
        var damaged = block
        damaged[index] = value
        #expect(chapters(damaged).count <= 2)
        _ = ChapterComments.adding([], to: damaged)
      }
    }
    #expect(ChapterComments.adding([], to: [1, 2, 3]) == nil)
  }

  @Test func `millions of comments are not more than the bytes`() {
    let many = comments([[UInt8]](repeating: [], count: 100_000), count: 0xffff_ffff)
    #expect(chapters(many + little(23) + Array("CHAPTER001=00:00:01.000".utf8)).count == 1)
  }

  @Test func `comments are added after the others and before what follows`() throws {
    let block = comments(["A=1"]) + [1, 2, 3]
    let late = FileMarker(frame: 359_999_999, text: "late")
    let made = try #require(
      ChapterComments.adding([late, FileMarker(frame: 61_007, text: "Ü")], to: block))
    let expected = comments([
      "A=1", "CHAPTER001=00:01:01.007", "CHAPTER001NAME=Ü", "CHAPTER002=99:59:59.999",
      "CHAPTER002NAME=late",
    ])
    #expect(made == expected + [1, 2, 3])
    #expect(chapters(made).map(\.frame) == [61_007, 359_999_999])
    let many = (0 ..< 1_200).map { FileMarker(frame: $0, text: "") }
    #expect(ChapterComments.comments(many).count == 2 * 999)
  }

  @Test func `blocks of FLAC are found behind an ID3 tag, and their sizes are checked`() throws {
    func block(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
      [kind] + big(content.count).dropFirst() + content
    }
    let content = comments(["CHAPTER001=00:00:01.000"])
    let blocks = block(0, [1, 2]) + block(5, [3]) + block(0x84, content)
    for tag in [[], ID3Bytes(version: 4).tag([0, 0, 0])] {
      let file = tag + Array("fLaC".utf8) + blocks
      let found = try withFile(file) { (FLACBlocks($0)?.cueSheet != nil, Chapters.read($0)) }
      #expect(found.0 == true && found.1.map(\.frame) == [1000])
      for length in file.indices {
        #expect(try withFile(Array(file[..<length])) { Chapters.read($0) }.isEmpty)
      }
    }
    let beyond = Array("fLaC".utf8) + [4, 0xff, 0xff, 0xff] + content
    #expect(try withFile(beyond) { Chapters.read($0) }.isEmpty)
    let endless = Array("fLaC".utf8) + [UInt8](repeating: 0, count: 100_000)
    #expect(try withFile(endless) { Chapters.read($0) }.isEmpty)
  }
}
