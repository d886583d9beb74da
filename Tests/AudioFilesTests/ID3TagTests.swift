// ID3TagTests.swift: chapters of ID3 tags, also of damaged ones. SPDX-License-Identifier: MIT

import Testing

@testable import AudioFiles

@Suite struct ID3TagTests {
  private func chapters(_ bytes: [UInt8], length: Int? = nil) throws -> [FileMarker] {
    try withFile(bytes, length: length) { ID3Tag.chapters(of: $0) }
  }

  @Test(arguments: [3, 4] as [UInt8])
  func `titles in all encodings are read`(version: UInt8) throws {
    let id3 = ID3Bytes(version: version)
    let (text, bigEndian) = (
      "Grüße 日本 😀",
      { (text: String) in
        text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
      }
    )
    let littleEndian = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let titles: [[UInt8]] = [
      [0, 0x47, 0xfc, 0], [1, 0xff, 0xfe] + littleEndian + [0, 0],
      [1, 0xfe, 0xff] + bigEndian(text),
      [2] + bigEndian(text), [3] + Array(text.utf8) + [0], [], [3],
    ]
    let frames = titles.enumerated().flatMap { id3.chapter("c\($0)", $0 * 1000, title: $1) }
    let found = try chapters(id3.tag(id3.frame("TIT2", [0, 65]) + frames + [0, 0, 0]))
    #expect(found.map(\.text) == ["Gü", text, text, text, text, "", ""])
    #expect(found.map(\.frame) == (0 ..< 7).map { $0 * 1000 })
  }

  @Test func `invalid encodings give a title that can be written`() throws {
    let id3 = ID3Bytes(version: 4)
    let titles: [[UInt8]] = [
      [4, 65], [255], [3, 0xff, 65], [1, 0xff], [1, 0xff, 0xfe, 0, 0xd8, 65, 0], [2, 65], [1],
      [3] + [UInt8](repeating: 65, count: 5000),
      [3] + Array(String(repeating: "日", count: 999).utf8),
      [2, 0, 65] + (0 ..< 999).flatMap { _ in [0xd8, 0x3d, 0xde, 0] as [UInt8] },
    ]
    let frames = titles.flatMap { id3.chapter("c", 1, title: $0) }
    let found = try chapters(id3.tag(frames))
    #expect(
      found.map(\.text)
        == [
          "", "", "\u{fffd}A", "", "\u{fffd}A", "", "", String(repeating: "A", count: 1000),
          String(repeating: "日", count: 333), "A" + String(repeating: "😀", count: 249),
        ])
  }

  @Test func `the table of contents gives the order, and the end is the length`() throws {
    let id3 = ID3Bytes(version: 4)
    let frames =
      id3.chapter("x", 9000) + id3.chapter("a", 3000, 4000) + id3.chapter("b", 1000, 500)
      + id3.chapter("c", 2000) + id3.chapter("y", 8000)
    let flat = try chapters(id3.tag(id3.table("toc", ["b", "a", "c", "none"]) + frames))
    #expect(flat.map(\.frame) == [1000, 3000, 2000, 8000, 9000])
    #expect(flat.map(\.frameCount) == [0, 1000, 0, 0, 0])
    // Tables in tables, one of them in itself.
    let nested =
      id3.table("2", top: false, ["y", "toc", "2", "a"]) + id3.table("toc", ["1", "2", "x"])
      + id3.table("1", top: false, ["c", "1"])
    #expect(try chapters(id3.tag(nested + frames)).map(\.frame) == [2000, 8000, 3000, 9000, 1000])
    #expect(try chapters(id3.tag(frames)).map(\.frame) == [1000, 2000, 3000, 8000, 9000])
  }

  @Test func `unsynchronised tags are read`() throws {
    let title: [UInt8] = [1, 0xff, 0xfe, 0xff, 0, 65, 0]
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == 0xff ? [0xff, 0] : [$0] } }
    let old = ID3Bytes(version: 3)
    let frames = old.chapter("a", 0xff, title: title) + old.chapter("b", 0xff00, title: title)
    let whole = try chapters(old.tag(flags: 0x80, padded(frames)))
    #expect(whole.map(\.frame) == [0xff, 0xff00] && whole.map(\.text) == ["ÿA", "ÿA"])
    let new = ID3Bytes(version: 4)
    let content = padded(new.chapterContent("a", 0xff, 0x1ff, title: title))
    for (flags, frameFlags) in [(0x80, 0), (0, 2), (0x80, 2)] as [(UInt8, UInt8)] {
      let found = try chapters(new.tag(flags: flags, new.frame("CHAP", flags: frameFlags, content)))
      #expect(found == [FileMarker(frame: 0xff, frameCount: 0x100, text: "ÿA")])
    }
  }

  @Test func `sizes of eight bits a byte in a tag of version 2.4 are recognised`() throws {
    let (plain, new) = (ID3Bytes(version: 3), ID3Bytes(version: 4))
    for length in [100, 127, 128, 200, 255, 256, 300, 20_000, 33_000] {
      let title = [3] + [UInt8](repeating: 65, count: length)
      // Programs write only the sizes of the outer frames in this way.
      let content = new.chapterContent("a", 7, 9, title: title)
      for rest in [new.chapter("b", 10), [], [0, 0, 0, 0]] {
        let found = try chapters(
          new.tag(plain.table("t", ["a"]) + plain.frame("CHAP", content) + rest))
        #expect(
          found.first?.text.count == min(length, 1000) && found.count == (rest.count > 9 ? 2 : 1))
      }
    }
  }

  @Test func `extended headers and fields of flags are skipped`() throws {
    let (old, new) = (ID3Bytes(version: 3), ID3Bytes(version: 4))
    let oldChapter = old.chapter("a", 7, 9)
    #expect(
      try chapters(old.tag(flags: 0x40, big(6) + [0, 0, 0, 0, 0, 0] + oldChapter)).count == 1)
    #expect(
      try chapters(new.tag(flags: 0x40, synchsafe(6) + [1, 0] + new.chapter("a", 7))).count == 1)
    #expect(try chapters(new.tag(flags: 0x40, synchsafe(0x0fff_ffff) + oldChapter)).isEmpty)
    #expect(try chapters(old.tag(flags: 0x40, big(0xffff_ffff) + oldChapter)).isEmpty)
    let content = new.chapterContent("a", 7, 9, title: [3, 66])
    func found(_ id3: ID3Bytes, _ flags: UInt8, _ content: [UInt8]) throws -> [String] {
      try chapters(id3.tag(id3.frame("CHAP", flags: flags, content))).map(\.text)
    }
    #expect(try found(new, 0x40, [5] + content) == ["B"])
    #expect(try found(new, 0x41, [5] + synchsafe(content.count) + content) == ["B"])
    #expect(try found(new, 8, content).isEmpty)
    #expect(try found(old, 0x20, [5] + old.chapterContent("a", 7, 9, title: [0, 66])) == ["B"])
    #expect(try found(old, 0x80, content).isEmpty)
    #expect(try found(new, 0x40, []).isEmpty)
  }

  @Test(arguments: [3, 4] as [UInt8])
  func `sizes beyond the tag or the file end the search`(version: UInt8) throws {
    let id3 = ID3Bytes(version: version)
    let first = id3.chapter("a", 7, title: [3, 65])
    let beyond = Array("CHAP".utf8) + id3.size(0x0fff_fff0) + [0, 0] + Array("b\0".utf8) + big(1)
    #expect(try chapters(id3.tag(first + beyond)).count == 1)
    #expect(try chapters(id3.tag(size: 0x0fff_ffff, first)).count == 1)
    let inner = id3.frame("CHAP", [65, 0] + big(3) + big(4) + big(0) + big(0) + beyond)
    #expect(try chapters(id3.tag(inner)) == [FileMarker(frame: 3, frameCount: 1, text: "")])
    // A table without entries, one without an end, a chapter without times, and one without a place in time.
    let odd =
      id3.frame("CTOC", [65]) + id3.frame("CTOC", [65, 0, 3, 200, 66])
      + id3.frame("CHAP", [65, 0, 1])
      + id3.chapter("u", 0xffff_ffff) + id3.frame("CHAP", []) + id3.frame("NONE", [])
    #expect(try chapters(id3.tag(odd + first)).count == 1)
  }

  @Test(arguments: [3, 4] as [UInt8])
  func `damaged and truncated tags never fail`(version: UInt8) throws {
    let id3 = ID3Bytes(version: version)
    let frames = (0 ..< 3).flatMap {
      id3.chapter("c\($0)", $0, title: $0 == 0 ? [3, 65] : [1, 0xff, 0xfe, 65, 0])
    }
    let tag = id3.tag(flags: 0xc0, id3.size(6) + [0, 0] + id3.table("t", ["c1", "c0"]) + frames)
    for length in tag.indices {
      #expect(try chapters(Array(tag[..<length])).count <= 3)
    }
    for index in tag.indices {
      for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
        var damaged = tag
        damaged[index] = value
        #expect(try chapters(damaged).count <= 3)
      }
    }
    #expect(try chapters(ID3Bytes(version: 2).tag(frames)).isEmpty)
  }

  @Test func `thousands of chapters and tables, and a tag of 256 MB, have limits`() throws {
    let id3 = ID3Bytes(version: 4)
    let frames = (0 ..< 12_000).flatMap { id3.chapter("c\($0)", $0) }
    #expect(try chapters(id3.tag(frames)).count == 10_000)
    let parts = (0 ..< 255).map { "c\($0)" }
    let tables = (0 ..< 1_500).flatMap { id3.table("\($0)", parts + ["more", "than", "fit"]) }
    #expect(try chapters(id3.tag(tables + id3.chapter("c1", 5))).count == 1)
    let large = id3.tag(size: 0x0fff_ffff, id3.chapter("a", 5) + Array("APIC".utf8))
    #expect(try chapters(large, length: 300_000_000).count == 1)
  }

  @Test func `a tag that was written is read back`() throws {
    let written = [
      FileMarker(frame: 0, text: "日本"), FileMarker(frame: 1500, frameCount: 10, text: ""),
      FileMarker(frame: 700, text: "B"), FileMarker(frame: 9000, text: "late"),
    ]
    let tag = ID3Tag.bytes(AudioFileTags(), written, last: 8000)
    let read = try chapters(tag + [0xff, 0xfb])
    #expect(read.map(\.text) == written.map(\.text) && read.map(\.frame) == written.map(\.frame))
    #expect(read.map(\.frameCount) == [700, 10, 800, 0])
    // A table of contents counts its chapters in one byte.
    let many = (0 ..< 10_000).map { FileMarker(frame: 3 * $0, text: "\($0)") }
    let readMany = try chapters(ID3Tag.bytes(AudioFileTags(), many, last: 30_000))
    #expect(readMany.map(\.text) == many.map(\.text) && readMany.allSatisfy { $0.frameCount == 3 })
  }
}
