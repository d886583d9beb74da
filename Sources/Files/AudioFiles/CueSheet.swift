// CueSheet.swift: the tracks of a cue sheet as chapters. SPDX-License-Identifier: MIT

/// Cue sheets in FLAC and Ogg files: a block with positions, or the text of a `.cue` file in a comment `CUESHEET`.
///
/// The frames of the chapters are milliseconds. Only audio tracks are read, from their index 1 on.
enum CueSheet {
  /// The part that is read, in bytes: a block with the largest number of tracks and indices fits.
  static let longest = 1_048_576
  private static let positionsPerSecond = 75

  /// Reads a block `CUESHEET` of a FLAC file with this sample rate (RFC 9639, section 8.7). [any]
  static func chapters(block: [UInt8], rateHz: Int) -> [FileMarker] {
    let (headLength, trackLength, indexLength) = (396, 36, 12)
    guard block.count >= headLength, rateHz > 0 else { return [] }
    var chapters: [FileMarker] = []
    var offset = headLength
    for _ in 0 ..< block[headLength - 1] {
      guard block.count - offset >= trackLength else { break }
      let (number, isAudio) = (block[offset + 8], block[offset + 21] & 0x80 == 0)
      let indices = (0 ..< Int(block[offset + 35])).map { offset + trackLength + $0 * indexLength }
      guard block.count - offset >= trackLength + indices.count * indexLength else { break }
      let first = indices.first { block[$0 + 8] == 1 } ?? indices.first
      let start = position(block, offset) + (first.map { position(block, $0) } ?? 0)
      offset += trackLength + indices.count * indexLength
      // The end of the audio is a track with one of these numbers.
      guard isAudio, number != 170, number != 255 else { continue }
      let milliseconds = (start * 1000 / Double(rateHz)).rounded()
      guard milliseconds <= Double(Chapters.lastStart) else { continue }
      chapters.append(FileMarker(frame: Int(milliseconds), text: "Track \(number)"))
    }
    return Chapters.sorted(chapters)
  }

  /// Reads the text of a `.cue` file; the tracks of a second `FILE` are in another file. [any]
  static func chapters(text: some Collection<UInt8>) -> [FileMarker] {
    var chapters: [FileMarker] = []
    var (fileCount, number, title) = (0, 0, "")
    /// Whether the last chapter is the present track.
    var hasStart = false
    let lines = String(decoding: text.prefix(longest), as: UTF8.self).split(
      whereSeparator: \.isNewline)
    for line in lines {
      let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard words.count == 2 else { continue }
      let rest = words[1].split(whereSeparator: \.isWhitespace)
      switch words[0].uppercased() {
      case "FILE":
        fileCount += 1
        if fileCount > 1 { return chapters }
      case "TRACK":
        number = rest.last?.uppercased() == "AUDIO" ? Int(rest[0]) ?? 0 : 0
        (title, hasStart) = ("", false)
      case "TITLE" where number > 0:
        title = self.title(words[1])
        if hasStart { chapters[chapters.count - 1].text = title }
      case "INDEX" where number > 0 && !hasStart:
        guard rest.count == 2, Int(rest[0]) == 1, let start = milliseconds(rest[1]),
          chapters.count < Chapters.maximumCount
        else { continue }
        hasStart = true
        chapters.append(
          FileMarker(frame: start, text: title.isEmpty ? "Track \(number)" : title))
      default: continue
      }
    }
    return Chapters.sorted(chapters)
  }

  /// Returns a title without its quotation marks.
  private static func title(_ text: Substring) -> String {
    let bytes = Array(text.utf8.drop { $0 == 0x20 })
    let end = (bytes.lastIndex { $0 > 0x20 } ?? -1) + 1
    let mark = UInt8(ascii: "\"")
    let isQuoted = end > 1 && bytes[0] == mark && bytes[end - 1] == mark
    return Chapters.title(bytes, isQuoted ? 1 : 0, isQuoted ? end - 1 : end)
  }

  /// Returns the milliseconds of `MM:SS:FF`, whose last part counts 75ths of a second.
  private static func milliseconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard parts.count == 3, 0 ... Chapters.lastStart / 60_000 - 1 ~= parts[0],
      0 ..< 60 ~= parts[1], 0 ..< positionsPerSecond ~= parts[2]
    else { return nil }
    return (parts[0] * 60 + parts[1]) * 1000
      + (parts[2] * 1000 + positionsPerSecond / 2) / positionsPerSecond
  }

  /// A position of 64 bits, in samples.
  private static func position(_ bytes: [UInt8], _ offset: Int) -> Double {
    bytes[offset ..< offset + 8].reduce(0) { $0 * 256 + Double($1) }
  }
}
