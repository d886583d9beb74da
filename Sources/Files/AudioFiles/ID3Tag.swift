// ID3Tag.swift: the ID3 tag of an MP3 file. SPDX-License-Identifier: MIT

/// The tag in front of an MP3 file: texts and chapters are written, and chapters read.
///
/// Chapters are frames `CHAP`, and `CTOC` is their order, of ID3v2.3 and 2.4 (id3.org/id3v2-chapters-1.0).
enum ID3Tag {
  /// The part of a tag that is read; pictures may make a tag large.
  private static let longestTag = 33_554_432
  private static let headerLength = 10
  /// A table of contents counts its chapters in one byte.
  private static let longestTable = 255
  private static let maximumTableCount = 64
  /// The rank of a chapter that is in no table.
  private static let lastRank = 0xffff
  /// The code for the language of comments and licences, which is not known (id3.org/id3v2.4.0-frames).
  private static let unknownLanguage = "XXX"
  /// The names of frames as numbers.
  private static let (chapterName, tableName, titleName) = (0x4348_4150, 0x4354_4f43, 0x5449_5432)

  /// The length of the tag in front of a file; 0 without a tag.
  static func tagLength(of file: TruncationCheck.Bytes) -> Int {
    let header = file.bytes(at: 0, headerLength)
    guard header.count == headerLength, header.starts(with: "ID3".utf8) else { return 0 }
    return headerLength + number(header, 6, digitBits: 7)
  }

  private struct Table {
    let name: String
    let isTop: Bool
    var parts: [String] = []
  }

  /// Reads chapters in the order of the tables of contents, then the others in the order of their times. [any]
  static func chapters(of file: TruncationCheck.Bytes) -> [FileMarker] {
    let length = min(tagLength(of: file), longestTag, file.length)
    guard length > headerLength, var frames = ID3Frames(tag: file.bytes(at: 0, length)) else {
      return []
    }
    var (found, names, tables) = ([FileMarker](), [String](), [Table]())
    while let kind = frames.next([chapterName, tableName]) {
      let content = frames.content
      guard let end = content.firstIndex(of: 0) else { continue }
      let name = String(decoding: content[..<end], as: UTF8.self)
      if kind == tableName {
        guard content.count > end + 2, tables.count < maximumTableCount else { continue }
        var table = Table(name: name, isTop: content[end + 1] & 2 != 0)
        var start = end + 3
        for index in start ..< content.count
        where content[index] == 0 && table.parts.count < longestTable {
          table.parts.append(String(decoding: content[start ..< index], as: UTF8.self))
          start = index + 1
        }
        tables.append(table)
      } else if found.count < Chapters.maximumCount,
        let chapter = chapter(content, end + 1, version: frames.version)
      {
        found.append(chapter)
        names.append(name)
      }
    }
    let ranks = ranks(tables)
    return Chapters.sorted(found, ranks: names.map { ranks[$0] ?? lastRank })
  }

  /// Returns the position of each chapter in the tables, which may contain other tables.
  private static func ranks(_ tables: [Table]) -> [String: Int] {
    var (tables, ranks, left) = (tables, [String: Int](), [String]())
    for table in tables.reversed() where table.isTop { left.append(table.name) }
    while let name = left.popLast() {
      if let index = tables.firstIndex(where: { $0.name == name }) {
        left += tables[index].parts.reversed()
        // Each table is followed once, so that a circle ends.
        tables[index].parts = []
      } else if ranks[name] == nil {
        ranks[name] = ranks.count
      }
    }
    return ranks
  }

  /// A chapter: its times in milliseconds, two offsets in bytes, and frames, one of which is the title.
  private static func chapter(_ content: [UInt8], _ offset: Int, version: Int) -> FileMarker? {
    guard content.count >= offset + 16 else { return nil }
    let (start, end) = (number(content, offset), number(content, offset + 4))
    guard start <= Chapters.lastStart else { return nil }
    var frames = ID3Frames(content, at: offset + 16, version: version)
    let title = frames.next([titleName]) == nil ? "" : text(frames.content)
    let length = end <= Chapters.lastStart ? max(0, end - start) : 0
    return FileMarker(frame: start, frameCount: length, text: title)
  }

  /// A text after the byte of its encoding; empty if the encoding is unknown.
  private static func text(_ content: [UInt8]) -> String {
    guard let encoding = content.first, encoding < 3 else {
      return content.first == 3 ? Chapters.title(content, 1, content.count) : ""
    }
    // Big-endian without a mark.
    let isLittle = encoding != 0 && content.count > 2 && content[1] == 0xff && content[2] == 0xfe
    let isMarked =
      isLittle || (encoding != 0 && content.count > 2 && content[1] == 0xfe && content[2] == 0xff)
    let step = encoding == 0 ? 1 : 2
    var (units, offset) = ([UInt16](), isMarked ? 3 : 1)
    while offset + step <= content.count, units.count < Chapters.longestTitle / 2 {
      let (first, last) = (UInt16(content[offset]), UInt16(content[offset + step - 1]))
      let unit = step == 1 ? first : isLittle ? last << 8 | first : first << 8 | last
      if unit == 0 { break }
      units.append(unit)
      offset += step
    }
    // A character is not cut.
    if units.count == Chapters.longestTitle / 2, units[units.count - 1] & 0xfc00 == 0xd800 {
      units.removeLast()
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Returns a number of four bytes, whose digits have eight bits, or seven.
  static func number(_ bytes: [UInt8], _ offset: Int, digitBits: Int = 8) -> Int {
    var value = 0
    for index in offset ..< offset + 4 {
      value = value << digitBits | Int(bytes[index]) & (1 << digitBits - 1)
    }
    return value
  }

  // MARK: - Writing

  /// Returns a tag of version 2.4 with texts, and with chapters in the order of the table of contents.
  ///
  /// A chapter without a length ends where the next one starts, the last one at `last`, in milliseconds.
  static func bytes(_ tags: AudioFileTags, _ chapters: [FileMarker], last: Int) -> [UInt8] {
    var frames: [UInt8] = []
    for (name, text) in tags.frames {
      let prefix =
        switch name {
        // An empty title follows.
        case "COMM": unknownLanguage + "\0"
        case "USER": unknownLanguage
        default: ""
        }
      put(name, bytes(prefix + text, after: [3]), to: &frames)
    }
    if 1 ... longestTable ~= chapters.count {
      // The top level, in order.
      var content = bytes("toc\0") + [3, UInt8(chapters.count)]
      for index in chapters.indices { content += name(index) }
      put("CTOC", content, to: &frames)
    }
    let starts = Chapters.sorted(chapters).map(\.frame)
    for (index, chapter) in chapters.enumerated() {
      var end = chapter.frame + chapter.frameCount
      if chapter.frameCount == 0 {
        end = max(end, next(after: chapter.frame, in: starts) ?? last)
      }
      var content = name(index)
      put(chapter.frame, to: &content)
      put(end, to: &content)
      content += [UInt8](repeating: 0xff, count: 8)
      if !chapter.text.isEmpty { put("TIT2", bytes(chapter.text, after: [3]), to: &content) }
      put("CHAP", content, to: &frames)
    }
    var tag = bytes("ID3") + [4, 0, 0]
    put(frames.count, digitBits: 7, to: &tag)
    tag += frames
    return tag
  }

  /// The name of a chapter in tables.
  @inline(never)
  private static func name(_ index: Int) -> [UInt8] { bytes("chp\(index)\0") }

  @inline(never)
  private static func bytes(_ text: String, after start: [UInt8] = []) -> [UInt8] {
    var bytes = start
    bytes += Array(text.utf8)
    return bytes
  }

  /// Returns the first of sorted positions that is later than a given one.
  private static func next(after start: Int, in starts: [Int]) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] > start { high = middle } else { low = middle + 1 }
    }
    return low < starts.count ? starts[low] : nil
  }

  private static func put(_ number: Int, digitBits: Int = 8, to bytes: inout [UInt8]) {
    for digit in 1 ... 4 {
      bytes.append(UInt8(number >> ((4 - digit) * digitBits) & (1 << digitBits - 1)))
    }
  }

  @inline(never)
  private static func put(_ name: String, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes += Self.bytes(name)
    put(content.count, digitBits: 7, to: &bytes)
    bytes += [0, 0]
    bytes += content
  }
}
