// Chapters.swift: chapters in the metadata of a file. SPDX-License-Identifier: MIT

/// Chapters of MP3, FLAC and Ogg files as markers, whose frames are milliseconds.
enum Chapters {
  /// The sample rate of such markers.
  static let rateHz = 1000
  /// More chapters than these are not read.
  static let maximumCount = 10_000
  /// Longer titles are cut, in Unicode scalars.
  static let longestTitle = 256
  /// Later chapters are not read: times of ID3 have 32 bits, and all ones are no time.
  static let lastStart = Int(UInt32.max) - 1

  /// Reads the chapters of a file: ID3 frames, or Vorbis comments of FLAC and Ogg files. [any]
  static func read(_ file: TruncationCheck.Bytes) -> [FileMarker] {
    if file.text(at: 0, 4) == "OggS" {
      return OggHeaders(file)?.comments.map(ChapterComments.chapters) ?? []
    }
    let tagged = ID3Tag.chapters(of: file)
    guard tagged.isEmpty, let block = FLACBlocks(file)?.comments else { return tagged }
    return ChapterComments.chapters(file.bytes(at: block.lowerBound, block.count)[...])
  }

  /// Returns a title without what follows a NUL character.
  static func title(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\0" }.prefix(longestTitle)))
  }
}

/// The blocks of metadata in front of a FLAC file, which may follow an ID3 tag.
struct FLACBlocks {
  /// Where the content of the comments is.
  private(set) var comments: Range<Int>?
  /// Whether there is a cue sheet, which is not read.
  private(set) var hasCueSheet = false

  /// Finds the blocks; nil for other files. [any]
  init?(_ file: TruncationCheck.Bytes) {
    var place = ID3Tag.tagLength(of: file)
    guard file.text(at: place, 4) == "fLaC" else { return nil }
    place += 4
    for _ in 0 ..< TruncationCheck.maximumChunkCount {
      guard let header = file.big(at: place, 4) else { return }
      let content = (place + 4) ..< (place + 4 + header & 0xff_ffff)
      switch header >> 24 & 0x7f {
      case 4 where comments == nil && content.upperBound <= file.length: comments = content
      case 5: hasCueSheet = true
      default: break
      }
      if header & 0x8000_0000 != 0 { return }
      place = content.upperBound
    }
  }
}
