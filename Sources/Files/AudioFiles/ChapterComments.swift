// ChapterComments.swift: chapters in Vorbis comments. SPDX-License-Identifier: MIT

/// Comments `CHAPTER001=00:00:00.000` and `CHAPTER001NAME=Title` (wiki.xiph.org/Chapter_Extension).
enum ChapterComments {
  /// Chapters have a number of three digits, from 1 on.
  static let maximumCount = 999

  /// Reads chapters in the order of their times; of chapters with the same number, the first one. [any]
  ///
  /// A block has the vendor's name, the number of comments, and the comments, each text after its size.
  static func chapters(_ block: ArraySlice<UInt8>) -> [FileMarker] {
    var starts = [Int?](repeating: nil, count: maximumCount + 1)
    var titles = [String?](repeating: nil, count: maximumCount + 1)
    _ = forEach(block) { comment in
      // The longest name is that of a title.
      let name = comment.prefix(15).prefix { $0 != UInt8(ascii: "=") }
      guard 9 ... 14 ~= name.count, name.count < comment.count else { return }
      let upper = name.map { (0x61 ... 0x7a).contains($0) ? $0 - 0x20 : $0 }
      guard upper.starts(with: "CHAPTER".utf8) else { return }
      let digits = upper.dropFirst(7).prefix { (0x30 ... 0x39).contains($0) }
      guard 2 ... 3 ~= digits.count else { return }
      let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      let text = String(
        decoding: comment.dropFirst(name.count + 1).prefix(4 * Chapters.longestTitle), as: UTF8.self
      )
      if digits.endIndex == upper.endIndex {
        starts[number] = starts[number] ?? milliseconds(text)
      } else if upper[digits.endIndex...].elementsEqual("NAME".utf8) {
        titles[number] = titles[number] ?? text
      }
    }
    let chapters = starts.indices.compactMap { number in
      starts[number].map { FileMarker(frame: $0, text: Chapters.title(titles[number] ?? "")) }
    }
    return chapters.sorted { $0.frame < $1.frame }
  }

  /// Returns the names and texts of comments for chapters in the order of their times.
  static func comments(_ chapters: [FileMarker]) -> [(name: String, text: String)] {
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    let ordered = chapters.sorted { $0.frame < $1.frame }.prefix(maximumCount)
    return ordered.enumerated().flatMap { index, chapter in
      let name = "CHAPTER" + padded(index + 1, 3)
      let seconds = chapter.frame / 1000
      let time =
        padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
        + padded(seconds % 60, 2) + "." + padded(chapter.frame % 1000, 3)
      return [(name, time), (name + "NAME", chapter.text)]
    }
  }

  /// Returns a block with further comments; nil if the block is damaged.
  static func adding(_ chapters: [FileMarker], to block: ArraySlice<UInt8>) -> [UInt8]? {
    let added = comments(chapters)
    guard let place = countPlace(block) else { return nil }
    let end = forEach(block) { _ in }
    let count = little(block[place...]) + added.count
    let texts = added.flatMap { name, text in
      let text = Array("\(name)=\(text)".utf8)
      return little(text.count) + text
    }
    return block[..<place] + little(count) + block[(place + 4) ..< end] + texts + block[end...]
  }

  /// Calls a closure with each comment; returns the end of the last one that is whole.
  private static func forEach(
    _ block: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void
  ) -> Int {
    guard var place = countPlace(block) else { return block.startIndex }
    let count = little(block[place...])
    place += 4
    for _ in 0 ..< count {
      guard block.endIndex - place >= 4, case let size = little(block[place...]),
        size <= block.endIndex - place - 4
      else { break }
      body(block[(place + 4) ..< (place + 4 + size)])
      place += 4 + size
    }
    return place
  }

  /// The index of the number of comments; nil if the block is too short.
  private static func countPlace(_ block: ArraySlice<UInt8>) -> Int? {
    guard block.count >= 8, case let vendor = little(block), vendor <= block.count - 8 else {
      return nil
    }
    return block.startIndex + 4 + vendor
  }

  private static func little(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func little(_ value: Int) -> [UInt8] {
    (0 ..< 4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns the milliseconds of `HH:MM:SS.mmm`.
  private static func milliseconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = UInt16(parts[0]), let minutes = UInt8(parts[1]),
      let seconds = Double(parts[2]), 0 ..< 60 ~= seconds, minutes < 60
    else { return nil }
    let time = (Int(hours) * 60 + Int(minutes)) * 60_000 + Int((seconds * 1000).rounded())
    return time <= Chapters.lastStart ? time : nil
  }
}
