// ChapterComments.swift: chapters in Vorbis comments. SPDX-License-Identifier: MIT

/// Comments `CHAPTER001=00:00:00.000` and `CHAPTER001NAME=Title` (wiki.xiph.org/Chapter_Extension).
///
/// A block of comments has the vendor's name, the number of comments, and the comments, each text after its size.
struct ChapterComments {
  /// Chapters have a number of three digits, from 1 on.
  static let maximumCount = 999

  private let block: [UInt8]
  /// The offset of the number of comments.
  private let countOffset: Int
  private var left: Int
  private var offset: Int

  /// Starts at the first comment of a block; nil if the block is too short.
  private init?(_ block: [UInt8], at start: Int) {
    guard block.count >= start + 8, case let vendor = Self.number(block, start),
      vendor <= block.count - start - 8
    else { return nil }
    self.block = block
    countOffset = start + 4 + vendor
    left = Self.number(block, countOffset)
    offset = countOffset + 4
  }

  /// Moves to the next comment and returns its offset; nil after the last one that is whole.
  private mutating func next() -> Range<Int>? {
    guard left > 0, block.count - offset >= 4, case let size = Self.number(block, offset),
      size <= block.count - offset - 4
    else { return nil }
    let start = offset + 4
    left -= 1
    offset = start + size
    return start ..< offset
  }

  /// Reads chapters in the order of their times; of chapters with the same number, the first one. [any]
  ///
  /// Without chapters, the tracks of a comment `CUESHEET` are read.
  static func chapters(_ block: [UInt8], at start: Int = 0) -> [FileMarker] {
    guard var comments = Self(block, at: start) else { return [] }
    var times = [Int](repeating: -1, count: maximumCount + 1)
    var titles = [String](repeating: "", count: maximumCount + 1)
    var cueSheet: Range<Int>?
    while let range = comments.next() {
      var (index, number, digitCount) = (range.lowerBound, 0, 0)
      /// Skips a text, whose letters are small.
      func skip(_ text: StaticString) -> Bool {
        let end = index + text.utf8CodeUnitCount
        guard end <= range.upperBound else { return false }
        for offset in 0 ..< text.utf8CodeUnitCount
        where unsafe block[index + offset] | 0x20 != text.utf8Start[offset] { return false }
        index = end
        return true
      }
      guard skip("chapter") else {
        if cueSheet == nil, skip("cuesheet=") { cueSheet = index ..< range.upperBound }
        continue
      }
      while index < range.upperBound, digitCount < 4, 0x30 ... 0x39 ~= block[index] {
        number = number * 10 + Int(block[index] - 0x30)
        (index, digitCount) = (index + 1, digitCount + 1)
      }
      guard 2 ... 3 ~= digitCount else { continue }
      if skip("=") {
        if times[number] < 0 { times[number] = milliseconds(block, index, range.upperBound) ?? -1 }
      } else if skip("name="), titles[number].isEmpty {
        titles[number] = Chapters.title(block, index, range.upperBound)
      }
    }
    var chapters: [FileMarker] = []
    for number in 0 ... maximumCount where times[number] >= 0 {
      chapters.append(FileMarker(frame: times[number], text: titles[number]))
    }
    guard chapters.isEmpty, let cueSheet else { return Chapters.sorted(chapters) }
    return CueSheet.chapters(text: block[cueSheet])
  }

  /// Returns comments for chapters in the order of their times.
  static func comments(_ chapters: [FileMarker]) -> [String] {
    func digits(_ number: Int, _ count: Int) -> String {
      var text = String(number)
      while text.utf8.count < count { text = "0" + text }
      return text
    }
    var comments: [String] = []
    for chapter in Chapters.sorted(chapters) where comments.count < 2 * maximumCount {
      let name = "CHAPTER" + digits(comments.count / 2 + 1, 3)
      let seconds = chapter.frame / 1000
      comments.append(
        name + "=" + digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":"
          + digits(seconds % 60, 2) + "." + digits(chapter.frame % 1000, 3))
      comments.append(name + "NAME=" + chapter.text)
    }
    return comments
  }

  /// Returns a block with further comments; nil if the block is damaged.
  static func adding(
    _ chapters: [FileMarker], to block: [UInt8], at start: Int = 0
  ) -> [UInt8]? {
    guard var old = Self(block, at: start) else { return nil }
    let texts = comments(chapters)
    var added = Array(block[..<old.countOffset])
    put(old.left + texts.count, to: &added)
    while old.next() != nil {}
    added += block[(old.countOffset + 4) ..< old.offset]
    for text in texts {
      put(text.utf8.count, to: &added)
      added += Array(text.utf8)
    }
    added += block[old.offset...]
    return added
  }

  private static func put(_ number: Int, to bytes: inout [UInt8]) {
    for shift in 0 ..< 4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
      | Int(bytes[offset + 3]) << 24
  }

  /// Returns the milliseconds of `HH:MM:SS.mmm`.
  private static func milliseconds(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
    // The value of a digit behind the point; 0 in front of it.
    var (time, field, colonCount, unit, hasDigit) = (0, 0, 0, 0, false)
    for index in start ..< end {
      let byte = bytes[index]
      switch byte {
      case 0x30 ... 0x39 where unit > 0:
        time += Int(byte - 0x30) * unit / 10
        unit = max(1, unit / 10)
      case 0x30 ... 0x39:
        field = field * 10 + Int(byte - 0x30)
        hasDigit = true
      case UInt8(ascii: ":") where colonCount < 2 && hasDigit:
        guard colonCount == 0 || field < 60 else { return nil }
        time = (time + field) * 60
        (field, colonCount, hasDigit) = (0, colonCount + 1, false)
      case UInt8(ascii: ".") where colonCount == 2 && hasDigit && unit == 0:
        (time, unit) = (time * 1000, 1000)
        time += field * 1000
      default: return nil
      }
      guard field < 10_000 else { return nil }
    }
    guard colonCount == 2, hasDigit, field < 60 else { return nil }
    if unit == 0 { time = (time + field) * 1000 }
    return time <= Chapters.lastStart ? time : nil
  }
}
