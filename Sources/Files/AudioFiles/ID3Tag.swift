// ID3Tag.swift: the ID3 tag of an MP3 file. SPDX-License-Identifier: MIT

/// The tag in front of an MP3 file: texts and chapters are written, and chapters read.
///
/// Chapters are frames `CHAP`, one for each chapter, and `CTOC`, their order, of ID3v2.3 and 2.4 (id3.org/id3v2-chapters-1.0).
enum ID3Tag {
  /// The part of a tag that is read; pictures may make a tag large.
  private static let longestTag = 33_554_432
  private static let headerLength = 10
  /// A table of contents counts its chapters in one byte.
  private static let longestTable = 255
  private static let maximumTableCount = 1_000

  /// The length of the tag in front of a file; 0 without a tag.
  static func tagLength(of file: TruncationCheck.Bytes) -> Int {
    let header = file.bytes(at: 0, headerLength)
    guard header.count == headerLength, header.starts(with: "ID3".utf8) else { return 0 }
    return headerLength + synchsafe(header[6...])
  }

  /// Reads chapters in the order of the tables of contents, then the others in the order of their times. [any]
  static func chapters(of file: TruncationCheck.Bytes) -> [FileMarker] {
    let length = min(tagLength(of: file), longestTag, file.length)
    guard length > headerLength else { return [] }
    guard let frames = Frames(tag: file.bytes(at: 0, length)) else { return [] }
    var found: [(name: [UInt8], chapter: FileMarker)] = []
    var tables: [[UInt8]: [[UInt8]]] = [:]
    var top: [[UInt8]] = []
    for frame in frames {
      guard frame.isNamed("CHAP") || frame.isNamed("CTOC") else { continue }
      let name = Array(frame.content.prefix { $0 != 0 })
      let content = frame.content.dropFirst(name.count + 1)
      if frame.isNamed("CTOC") {
        guard content.count > 2, tables.count < maximumTableCount else { continue }
        // Top-level tables come first, in a file without a mistake only one.
        if content[content.startIndex] & 2 != 0 { top.append(name) }
        tables[name] = content.dropFirst(2).split(
          separator: 0, maxSplits: longestTable, omittingEmptySubsequences: true
        ).map { Array($0) }
      } else if found.count < Chapters.maximumCount,
        let chapter = chapter(content, version: frames.version)
      {
        found.append((name, chapter))
      }
    }
    let ranks = ranks(tables, top: top)
    let ranked = found.map { (rank: ranks[$0.name] ?? .max, chapter: $0.chapter) }
    return ranked.sorted { ($0.rank, $0.chapter.frame) < ($1.rank, $1.chapter.frame) }.map(
      \.chapter)
  }

  /// Returns the place of each chapter in the tables, which may contain other tables.
  private static func ranks(
    _ tables: [[UInt8]: [[UInt8]]], top: [[UInt8]]
  ) -> [[UInt8]: Int] {
    var (tables, ranks, left) = (tables, [[UInt8]: Int](), Array(top.reversed()))
    while let name = left.popLast() {
      // Each table is followed once, so that a circle ends.
      if let parts = tables.removeValue(forKey: name) {
        left += parts.reversed()
      } else if ranks[name] == nil {
        ranks[name] = ranks.count
      }
    }
    return ranks
  }

  /// A chapter: its times in milliseconds, two places in bytes, and frames, one of which is the title.
  private static func chapter(_ content: ArraySlice<UInt8>, version: UInt8) -> FileMarker? {
    guard content.count >= 16 else { return nil }
    let (start, end) = (big(content), big(content.dropFirst(4)))
    guard start <= Chapters.lastStart else { return nil }
    let frames = Frames(rest: content.dropFirst(16), version: version)
    let title = frames.first { $0.isNamed("TIT2") }.map { text($0.content) }
    let length = end <= Chapters.lastStart ? max(0, end - start) : 0
    return FileMarker(frame: start, frameCount: length, text: Chapters.title(title ?? ""))
  }

  /// A text after the byte of its encoding; empty if the encoding is unknown.
  private static func text(_ content: ArraySlice<UInt8>) -> String {
    var bytes = content.dropFirst().prefix(4 * Chapters.longestTitle)
    // Big-endian without a mark.
    var isLittle = false
    switch content.first {
    case 0:
      return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    case 1, 2:
      if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
        isLittle = bytes.first == 0xff
        bytes = bytes.dropFirst(2)
      }
      let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      return String(decoding: units, as: UTF16.self)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return ""
    }
  }

  private static func big(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  private static func big(_ value: Int, digitBits: Int = 8) -> [UInt8] {
    (0 ..< 4).reversed().map { UInt8(value >> ($0 * digitBits) & (1 << digitBits - 1)) }
  }

  /// A number of four bytes with seven bits each.
  private static func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7f) }
  }

  // MARK: - Frames

  private struct Frame {
    let header: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    func isNamed(_ name: String) -> Bool { header.starts(with: name.utf8) }
  }

  /// The frames of a tag or of a chapter: a name, a size, two bytes of flags, and their content.
  private struct Frames: Sequence, IteratorProtocol {
    var rest: ArraySlice<UInt8>
    let version: UInt8
    /// Whether zeros were inserted after bytes of ones in all frames.
    var isPadded = false

    init(rest: ArraySlice<UInt8>, version: UInt8) { (self.rest, self.version) = (rest, version) }

    /// The frames of a whole tag; nil for other versions.
    init?(tag: [UInt8]) {
      guard tag.count > headerLength, 3 ... 4 ~= tag[3] else { return nil }
      self.init(rest: tag.dropFirst(headerLength), version: tag[3])
      let flags = tag[5]
      isPadded = version == 4 && flags & 0x80 != 0
      if version == 3, flags & 0x80 != 0 { rest = Self.withoutPadding(rest) }
      if flags & 0x40 != 0 {
        // The size of the extended header includes its size field in 2.4 only.
        rest = rest.dropFirst(version == 4 ? synchsafe(rest) : big(rest) + 4)
      }
    }

    mutating func next() -> Frame? {
      // Zeros fill the rest of a tag.
      guard rest.count > headerLength, rest.first != 0 else { return nil }
      let header = rest.prefix(headerLength)
      let size = size(header.dropFirst(4).prefix(4))
      guard size <= rest.count - headerLength else { return nil }
      let content = rest.dropFirst(headerLength).prefix(size)
      rest = rest.dropFirst(headerLength + size)
      return Frame(header: header, content: plain(content, header[header.startIndex + 9]))
    }

    /// Returns the size of a frame.
    ///
    /// ffmpeg and old programs write frames of version 2.4 with sizes as in 2.3. Then the next frame is there.
    private func size(_ field: ArraySlice<UInt8>) -> Int {
      let (safe, plain) = (synchsafe(field), big(field))
      if version == 3 || field.contains(where: { $0 > 0x7f }) { return plain }
      return safe != plain && !isEnd(safe) && isEnd(plain) ? plain : safe
    }

    /// Whether a frame of a size is followed by another one, by zeros, or by nothing.
    private func isEnd(_ size: Int) -> Bool {
      guard size <= rest.count - headerLength else { return false }
      let next = rest.dropFirst(headerLength + size).prefix(headerLength)
      // Bits of flags without a meaning are zero.
      let hasFrame =
        next.prefix(4).allSatisfy { 0x30 ... 0x5a ~= $0 } && next.count == headerLength
        && next[next.endIndex - 2] & 0x8f == 0 && next[next.endIndex - 1] & 0xb0 == 0
      return hasFrame || next.allSatisfy { $0 == 0 }
    }

    /// Returns the content without the fields of its flags; empty if it is compressed or encrypted.
    private func plain(_ content: ArraySlice<UInt8>, _ flags: UInt8) -> ArraySlice<UInt8> {
      if version == 3 {
        return flags & 0xc0 != 0 ? [] : content.dropFirst(flags & 0x20 != 0 ? 1 : 0)
      }
      if flags & 0x0c != 0 { return [] }
      let bare = content.dropFirst((flags & 0x40 != 0 ? 1 : 0) + (flags & 1 != 0 ? 4 : 0))
      return isPadded || flags & 2 != 0 ? Self.withoutPadding(bare) : bare
    }

    private static func withoutPadding(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var isAfterOnes = false
      for byte in bytes {
        if !isAfterOnes || byte != 0 { result.append(byte) }
        isAfterOnes = byte == 0xff
      }
      return result[...]
    }
  }

  // MARK: - Writing

  /// Returns a tag of version 2.4 with texts, and with chapters in the order of the table of contents.
  ///
  /// A chapter without a length ends where the next one starts, the last one at `last`, in milliseconds.
  static func bytes(_ tags: AudioFileTags, _ chapters: [FileMarker], last: Int) -> [UInt8] {
    var frames = tags.frames.flatMap { name, text in
      // An unknown language; comments have a short title, too.
      let prefix = name == "COMM" ? "XXX\0" : name == "USER" ? "XXX" : ""
      return frame(name, utf8(prefix + text))
    }
    let names = chapters.indices.map { Array("chp\($0)\0".utf8) }
    if 1 ... longestTable ~= chapters.count {
      // The top level, in order.
      let head = Array("toc\0".utf8) + [3, UInt8(chapters.count)]
      frames += frame("CTOC", head + names.joined())
    }
    var ends = chapters.map { $0.frame + $0.frameCount }
    var next = last
    for index in chapters.indices.sorted(by: { chapters[$0].frame < chapters[$1].frame }).reversed()
    {
      let start = chapters[index].frame
      ends[index] = ends[index] > start ? ends[index] : max(start, next)
      next = start
    }
    for (index, chapter) in chapters.enumerated() {
      let places = [UInt8](repeating: 0xff, count: 8)
      let title = chapter.text.isEmpty ? [] : frame("TIT2", utf8(chapter.text))
      frames += frame(
        "CHAP", names[index] + big(chapter.frame) + big(ends[index]) + places + title)
    }
    return Array("ID3".utf8) + [4, 0, 0] + big(frames.count, digitBits: 7) + frames
  }

  private static func utf8(_ text: String) -> [UInt8] { [3] + text.utf8 }

  private static func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + big(content.count, digitBits: 7) + [0, 0] + content
  }
}
