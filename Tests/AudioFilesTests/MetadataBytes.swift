// MetadataBytes.swift: metadata of files, byte by byte. SPDX-License-Identifier: MIT

import AudioTestSupport
import Glibc
import LV2Fixtures

@testable import AudioFiles

/// Returns a number of four bytes.
func big(_ value: Int) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// Returns a number of four bytes with seven bits each.
func synchsafe(_ value: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7f) } }

/// Returns a number of four bytes, the lowest first.
func little(_ value: Int) -> [UInt8] { big(value).reversed() }

/// Calls a closure with the bytes of a file.
func withFile<Result>(
  _ bytes: [UInt8], length: Int? = nil, _ body: (TruncationCheck.Bytes) throws -> Result
) throws -> Result {
  let scratch = try TemporaryDirectory()
  let descriptor = open(try scratch.put("file", bytes), O_RDWR)
  defer { close(descriptor) }
  // Zeros without disk space follow.
  if let length { ftruncate(descriptor, length) }
  return try body(.init(descriptor: descriptor, length: length ?? bytes.count))
}

/// The frames of an ID3 tag.
struct ID3Bytes {
  let version: UInt8

  func size(_ value: Int) -> [UInt8] { version == 4 ? synchsafe(value) : big(value) }

  func frame(_ name: String, flags: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + size(content.count) + [0, flags] + content
  }

  func chapter(
    _ name: String, _ start: Int, _ end: Int = 0xffff_ffff, title: [UInt8] = []
  ) -> [UInt8] {
    frame("CHAP", chapterContent(name, start, end, title: title))
  }

  func chapterContent(_ name: String, _ start: Int, _ end: Int, title: [UInt8]) -> [UInt8] {
    Array("\(name)\0".utf8) + big(start) + big(end) + [UInt8](repeating: 255, count: 8)
      + (title.isEmpty ? [] : frame("TPE1", [0, 65]) + frame("TIT2", title))
  }

  func table(_ name: String, top: Bool = true, _ parts: [String]) -> [UInt8] {
    frame(
      "CTOC",
      Array("\(name)\0".utf8) + [top ? 3 : 1, UInt8(truncatingIfNeeded: parts.count)]
        + parts.flatMap { Array("\($0)\0".utf8) })
  }

  func tag(flags: UInt8 = 0, size: Int? = nil, _ content: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [version, 0, flags] + synchsafe(size ?? content.count) + content
  }
}

/// Returns Vorbis comments with their sizes.
func comments(_ texts: [String], count: Int? = nil) -> [UInt8] {
  comments(texts.map { Array($0.utf8) }, count: count)
}

/// Returns Vorbis comments with their sizes; a wrong number of them is possible.
func comments(_ texts: [[UInt8]], count: Int? = nil) -> [UInt8] {
  little(6) + Array("vendor".utf8) + little(count ?? texts.count)
    + texts.flatMap { little($0.count) + $0 }
}
