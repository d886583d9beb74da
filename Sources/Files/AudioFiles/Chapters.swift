// Chapters.swift: chapters in the metadata of a file. SPDX-License-Identifier: MIT

/// Chapters of MP3, FLAC and Ogg files as markers, whose frames are milliseconds.
enum Chapters {
  /// The sample rate of such markers.
  static let rateHz = 1000
  /// The maximum number of chapters; the rest is not read.
  static let maximumCount = 10_000
  /// Longer titles are cut, in bytes.
  static let longestTitle = 1_000
  /// Later chapters are not read: times of ID3 have 32 bits, and all ones are no time.
  static let lastStart = Int(UInt32.max) - 1

  /// Reads the chapters of a file: ID3 frames, Vorbis comments of FLAC and Ogg files, or a cue sheet of a FLAC
  /// file. [any]
  static func read(_ file: TruncationCheck.Bytes) -> [FileMarker] {
    if file.text(at: 0, 4) == "OggS" {
      guard let headers = OggHeaders(file), let start = headers.commentStart else { return [] }
      return ChapterComments.chapters(headers.packets[1], at: start)
    }
    let tagged = ID3Tag.chapters(of: file)
    guard tagged.isEmpty, let blocks = FLACBlocks(file) else { return tagged }
    let chapters =
      blocks.comments.map { ChapterComments.chapters(file.bytes(at: $0.lowerBound, $0.count)) }
      ?? []
    guard chapters.isEmpty, let sheet = blocks.cueSheet else { return chapters }
    return CueSheet.chapters(
      block: file.bytes(at: sheet.lowerBound, min(sheet.count, CueSheet.longest)),
      rateHz: blocks.sampleRateHz)
  }

  /// Returns a title in UTF-8 without what follows a NUL character.
  static func title(_ bytes: [UInt8], _ start: Int, _ end: Int) -> String {
    var stop = start
    while stop < min(end, start + longestTitle), bytes[stop] != 0 { stop += 1 }
    // A character is not cut.
    if stop == start + longestTitle, stop < end {
      while stop > start, bytes[stop] & 0xc0 == 0x80 { stop -= 1 }
    }
    return String(decoding: bytes[start ..< stop], as: UTF8.self)
  }

  /// Returns markers in the order of their positions, or of the given ranks and then their positions. [any]
  static func sorted(_ markers: [FileMarker], ranks: [Int]? = nil) -> [FileMarker] {
    // A position has 32 bits at most, and an index 14; a second use of an index keeps the order of equal keys.
    let indexBits = 14
    var keys: [Int] = []
    for (index, marker) in markers.enumerated() {
      keys.append(((ranks?[index] ?? 0) << 32 | min(marker.frame, lastStart)) << indexBits | index)
    }
    keys.sort()
    return keys.map { markers[$0 & (1 << indexBits - 1)] }
  }
}

/// The blocks of metadata in front of a FLAC file, which may follow an ID3 tag.
struct FLACBlocks {
  /// The position of the comments' content in the file.
  private(set) var comments: Range<Int>?
  /// The position of the cue sheet's content in the file.
  private(set) var cueSheet: Range<Int>?
  /// The sample rate; 0 if unknown.
  private(set) var sampleRateHz = 0

  /// Finds the blocks; nil for other files. [any]
  init?(_ file: TruncationCheck.Bytes) {
    var offset = ID3Tag.tagLength(of: file)
    guard file.text(at: offset, 4) == "fLaC" else { return nil }
    offset += 4
    for _ in 0 ..< TruncationCheck.maximumChunkCount {
      guard let header = file.big(at: offset, 4) else { return }
      let content = (offset + 4) ..< (offset + 4 + header & 0xff_ffff)
      switch header >> 24 & 0x7f {
      case 4 where comments == nil && content.upperBound <= file.length: comments = content
      case 5 where cueSheet == nil: cueSheet = content
      // Sizes of blocks and frames precede the sample rate, which has 20 bits.
      case 0: sampleRateHz = (file.big(at: content.lowerBound + 10, 3) ?? 0) >> 4
      default: break
      }
      if header & 0x8000_0000 != 0 { return }
      offset = content.upperBound
    }
  }
}
