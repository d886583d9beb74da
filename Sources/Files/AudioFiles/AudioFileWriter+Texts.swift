// AudioFileWriter+Texts.swift: chapters and tags of a completed file. SPDX-License-Identifier: MIT
//
// libsndfile writes no chapters, so they are inserted into the metadata that it wrote. It writes short tags of MP3 as
// ID3v1 only, and as UTF-8 where readers expect Latin-1, so the whole ID3 tag is written here.

import CVorbis

extension AudioContainer {
  /// How many markers or chapters a file can have; 0 for none. [any]
  package var maximumMarkerCount: Int {
    switch self {
    case .wav, .mp3: Chapters.maximumCount
    case .flac, .ogg, .opus: ChapterComments.maximumCount
    case .aiff, .caf, .au, .raw: 0
    }
  }
}

extension AudioFileWriter.Settings {
  /// The tags and chapters as Vorbis comments.
  var comments: [String] {
    tags.comments + ChapterComments.comments(chapters)
  }

  /// The markers in milliseconds.
  var chapters: [FileMarker] {
    markers.map { $0.converted(from: sampleRateHz, to: Chapters.rateHz) }
  }
}

extension AudioFileWriter {
  /// Inserts the markers, and the tags of MP3, into a file that its encoder has completed.
  mutating func addTexts() throws(AudioFileError) {
    let file = output.bytes
    let chapters = settings.chapters
    if container == .mp3, !(chapters.isEmpty && settings.tags.isEmpty) {
      let tag = ID3Tag.bytes(settings.tags, chapters, last: Int((seconds * 1000).rounded()))
      output.replaceStart(0, with: tag)
    }
    guard !chapters.isEmpty else { return }
    switch container {
    case .wav: try add(settings.markers)
    case .flac:
      guard let offset = FLACBlocks(file)?.comments,
        var block = ChapterComments.adding(
          chapters, to: file.bytes(at: offset.lowerBound, offset.count))
      else { return }
      let size = [16, 8, 0].map { UInt8(truncatingIfNeeded: block.count >> $0) }
      block = file.bytes(at: 0, offset.lowerBound - 3) + size + block
      output.replaceStart(offset.upperBound, with: block)
    case .opus:
      guard var headers = OggHeaders(file), let start = headers.commentStart,
        let packet = ChapterComments.adding(chapters, to: headers.packets[1], at: start)
      else { return }
      let (old, oldCount) = (headers.byteCount, headers.pageCount)
      headers.packets[1] = packet
      let (pages, count) = headers.pages()
      output.replaceStart(old, with: pages)
      if count != oldCount { renumberPages(from: pages.count, by: count - oldCount) }
    // The comments of Vorbis are written first.
    case .mp3, .ogg, .aiff, .caf, .au, .raw: break
    }
  }

  /// Adds to the numbers of all pages of an Ogg file from an offset on.
  private func renumberPages(from start: Int, by difference: Int) {
    let (headerLength, numberOffset) = (27, 18)
    let file = output.bytes
    var offset = start
    while offset < file.length, output.failure == 0 {
      var header = file.bytes(at: offset, headerLength)
      guard header.count == headerLength else { return }
      header += file.bytes(at: offset + headerLength, Int(header[headerLength - 1]))
      var body = file.bytes(
        at: offset + header.count, header[headerLength...].reduce(0) { $0 + Int($1) })
      let number = header[numberOffset ..< (numberOffset + 4)].reversed().reduce(0) {
        $0 << 8 | Int($1)
      }
      for index in 0 ..< 4 {
        header[numberOffset + index] = UInt8(
          truncatingIfNeeded: (number + difference) >> (8 * index))
      }
      let length = header.count + body.count
      unsafe header.withUnsafeMutableBufferPointer { head in
        unsafe body.withUnsafeMutableBufferPointer { tail in
          var page = unsafe ogg_page(
            header: head.baseAddress, header_len: head.count, body: tail.baseAddress,
            body_len: tail.count)
          unsafe ogg_page_checksum_set(&page)
        }
      }
      _ = output.seek(to: offset)
      _ = unsafe output.put(header, header.count)
      offset += length
    }
  }
}
