// TruncationCheck+Container.swift: files whose headers declare more data. SPDX-License-Identifier: MIT

import Glibc

extension TruncationCheck {
  /// The end of an Ogg file that is searched for its last page, which has 65,307 bytes at most.
  private static let longestPage = 65_307
  /// More chunks or blocks of metadata than these are not followed.
  static let maximumChunkCount = 1_000

  /// Returns whether a file's header declares more data than exists; false for streams and for
  /// formats that do not declare it. [any]
  static func endsEarly(_ descriptor: Int32) -> Bool {
    guard let length = byteCount(descriptor), length > 0 else { return false }
    let file = Bytes(descriptor: descriptor, length: length)
    switch file.text(at: 0, 4) {
    case "RIFF", "RF64": return file.isBeyond(file.little(at: 4, 4).map { $0 + 8 }, isUnknown: 4)
    case "RIFX", "FORM": return file.isBeyond(file.big(at: 4, 4).map { $0 + 8 }, isUnknown: 4)
    case ".snd":
      guard let offset = file.big(at: 4, 4), let count = file.big(at: 8, 4) else { return true }
      return count != 0xffff_ffff && offset + count > length
    case "riff": return file.isBeyond(file.little(at: 16, 8), isUnknown: 8)
    case "caff": return endsWithinChunk(file)
    case "fLaC": return endsWithinMetadata(file)
    case "OggS": return lacksLastPage(descriptor)
    default: return false
    }
  }

  /// Returns whether an Ogg file ends without its last page; false for other files and streams.
  /// [any]
  static func lacksLastPage(_ descriptor: Int32) -> Bool {
    guard let length = byteCount(descriptor) else { return false }
    let file = Bytes(descriptor: descriptor, length: length)
    guard file.text(at: 0, 4) == "OggS" else { return false }
    let start = max(0, length - longestPage)
    let bytes = file.bytes(at: start, length - start)
    let mark = Array("OggS".utf8)
    guard
      let page = bytes.indices.last(where: { bytes[$0...].starts(with: mark) }),
      page + 27 <= bytes.count
    else { return true }
    let segments = Int(bytes[page + 26])
    guard page + 27 + segments <= bytes.count else { return true }
    let content = bytes[(page + 27) ..< (page + 27 + segments)].reduce(0) { $0 + Int($1) }
    let isLast = bytes[page + 5] & 4 != 0
    return !isLast || page + 27 + segments + content > bytes.count
  }

  /// CAF: chunks of a type, a size of 8 bytes, and that many bytes.
  private static func endsWithinChunk(_ file: Bytes) -> Bool {
    var offset = 8
    for _ in 0 ..< maximumChunkCount where offset != file.length {
      guard let size = file.big(at: offset + 4, 8) else { return true }
      // Data of unknown size extends to the end.
      if size < 0 { return false }
      let (end, overflow) = offset.addingReportingOverflow(12 + min(size, Int.max - 12))
      if overflow || end > file.length { return true }
      offset = end
    }
    return false
  }

  /// FLAC: blocks with a size of 3 bytes, the last one marked, followed by the audio.
  private static func endsWithinMetadata(_ file: Bytes) -> Bool {
    var offset = 4
    for _ in 0 ..< maximumChunkCount {
      guard let header = file.big(at: offset, 4) else { return true }
      offset += 4 + header & 0xff_ffff
      if header & 0x8000_0000 != 0 { break }
    }
    return offset >= file.length
  }

  /// Reads the bytes of a file by their offsets.
  struct Bytes {
    let descriptor: Int32
    let length: Int

    func bytes(at offset: Int, _ count: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      let readCount = unsafe pread(descriptor, &bytes, count, offset)
      return Array(bytes.prefix(max(0, readCount)))
    }

    func text(at offset: Int, _ count: Int) -> String {
      String(decoding: bytes(at: offset, count), as: UTF8.self)
    }

    func big(at offset: Int, _ count: Int) -> Int? {
      let bytes = bytes(at: offset, count)
      guard bytes.count == count else { return nil }
      return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    func little(at offset: Int, _ count: Int) -> Int? {
      let bytes = bytes(at: offset, count)
      guard bytes.count == count else { return nil }
      return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns whether a size in the header exceeds the end; a size of all ones or zeros is
    /// unknown.
    func isBeyond(_ size: Int?, isUnknown byteCount: Int) -> Bool {
      guard let size else { return true }
      let unknown = byteCount == 4 ? 0xffff_ffff + 8 : -1
      return size != unknown && size > 8 && size > length
    }
  }
}
