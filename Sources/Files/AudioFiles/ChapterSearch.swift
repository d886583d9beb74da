// ChapterSearch.swift: whether the metadata of a file contains chapters. SPDX-License-Identifier: MIT

/// Finds chapters: frames `CHAP` of ID3v2.3 and 2.4 (id3.org), the block CUESHEET of FLAC, and comments `CHAPTER001` of
/// Ogg and FLAC files (wiki.xiph.org/Chapter_Extension).
enum ChapterSearch {
  /// How many bytes of comments are searched.
  private static let longestComments = 262_144
  /// More frames or blocks than these are not followed.
  private static let maximumPartCount = 10_000

  /// Returns whether the file has chapters. [any]
  static func hasChapters(_ file: TruncationCheck.Bytes) -> Bool {
    switch file.text(at: 0, 4) {
    case "fLaC": flac(file)
    case "OggS": hasComment(file.bytes(at: 0, longestComments))
    case let magic where magic.hasPrefix("ID3"): id3(file)
    default: false
    }
  }

  /// An ID3 tag: a header of 10 bytes, then frames of a name, a size, two bytes of flags, and their content.
  private static func id3(_ file: TruncationCheck.Bytes) -> Bool {
    guard let version = file.big(at: 3, 1), 3 ... 4 ~= version, let flags = file.big(at: 5, 1),
      let size = synchsafe(file, at: 6)
    else { return false }
    var place = 10
    if flags & 0x40 != 0 {
      // The size of the extended header includes its size field in 2.4 only.
      let extended = version == 4 ? synchsafe(file, at: 10) : file.big(at: 10, 4).map { $0 + 4 }
      place += extended ?? size
    }
    for _ in 0 ..< maximumPartCount where place + 10 <= min(10 + size, file.length) {
      let name = file.text(at: place, 4)
      if name == "CHAP" { return true }
      let content = version == 4 ? synchsafe(file, at: place + 4) : file.big(at: place + 4, 4)
      // Zeros fill the rest of a tag.
      guard let content, content > 0, !name.hasPrefix("\0") else { return false }
      place += 10 + content
    }
    return false
  }

  /// Returns a number of four bytes with seven bits each.
  private static func synchsafe(_ file: TruncationCheck.Bytes, at place: Int) -> Int? {
    let bytes = file.bytes(at: place, 4)
    guard bytes.count == 4 else { return nil }
    return bytes.reduce(0) { $0 << 7 | Int($1 & 0x7f) }
  }

  /// FLAC: blocks of a kind and a size, the last one marked.
  private static func flac(_ file: TruncationCheck.Bytes) -> Bool {
    let (comments, cueSheet) = (4, 5)
    var place = 4
    for _ in 0 ..< maximumPartCount {
      guard let header = file.big(at: place, 4) else { return false }
      let (kind, size) = (header >> 24 & 0x7f, header & 0xff_ffff)
      if kind == cueSheet { return true }
      if kind == comments, hasComment(file.bytes(at: place + 4, min(size, longestComments))) {
        return true
      }
      if header & 0x8000_0000 != 0 { return false }
      place += 4 + size
    }
    return false
  }

  /// Returns whether the bytes contain `CHAPTER` in any case, two digits, and later an equals sign.
  private static func hasComment(_ bytes: [UInt8]) -> Bool {
    let name = Array("chapter".utf8)
    let lowerCase: UInt8 = 0x20
    let digits = UInt8(ascii: "0") ... UInt8(ascii: "9")
    guard bytes.count > name.count + 4 else { return false }
    return bytes.indices.dropLast(name.count + 4).contains { start in
      guard bytes[start] | lowerCase == name[0] else { return false }
      let end = start + name.count
      return zip(bytes[start ..< end], name).allSatisfy { $0 | lowerCase == $1 }
        && digits.contains(bytes[end]) && digits.contains(bytes[end + 1])
        && bytes[(end + 2)...].prefix(2).contains(UInt8(ascii: "="))
    }
  }
}
