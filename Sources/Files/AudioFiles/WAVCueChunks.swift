// WAVCueChunks.swift: marks inside a WAV file. SPDX-License-Identifier: MIT

/// A marker in an audio file.
package struct FileMarker: Sendable, Equatable {
  /// The position, in frames.
  package var frame: Int
  /// The length in frames; 0 for a point.
  package var frameCount: Int
  /// The text.
  package var text: String

  /// Returns the marker at another sample rate. [any]
  package func converted(from rateHz: Int, to otherRateHz: Int) -> FileMarker {
    func converted(_ frame: Int) -> Int {
      Int((Double(frame) * Double(otherRateHz) / Double(rateHz)).rounded())
    }
    let (start, end) = (converted(frame), converted(frame + frameCount))
    return FileMarker(frame: start, frameCount: end - start, text: text)
  }

  /// A mark by its facts.
  package init(frame: Int, frameCount: Int = 0, text: String) {
    (self.frame, self.frameCount, self.text) = (frame, frameCount, text)
  }
}

/// Markers as the chunks `cue ` and `LIST` of `adtl`, which editors show as markers and regions.
///
/// They are appended after the audio of a completed file, because libsndfile accepts markers only
/// before the first frame.
enum WAVCueChunks {
  /// Returns both chunks; positions have 32 bits, and markers beyond are omitted.
  static func chunks(_ marks: [FileMarker]) -> [UInt8] {
    let counted = marks.filter { $0.frame <= UInt32.max && $0.frameCount <= UInt32.max }
    guard !counted.isEmpty else { return [] }
    // Readers skip labels after lengths.
    var (cues, labels, lengths) = (little(counted.count, 4), Array("adtl".utf8), [UInt8]())
    for (number, mark) in counted.enumerated() {
      let name = little(number + 1, 4)
      cues += name + little(mark.frame, 4) + Array("data".utf8)
      cues += little(0, 4) + little(0, 4) + little(mark.frame, 4)
      labels += chunk("labl", name + Array(mark.text.utf8) + [0])
      if mark.frameCount > 0 {
        // No country, language, dialect and code page.
        lengths += chunk(
          "ltxt", name + little(mark.frameCount, 4) + Array("rgn ".utf8) + little(0, 8))
      }
    }
    return chunk("cue ", cues) + chunk("LIST", labels + lengths)
  }

  /// A chunk of an even length.
  private static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(bytes.count, 4) + bytes + (bytes.count % 2 == 1 ? [0] : [])
  }

  /// Returns the length field of the header for `byteCount` bytes, and its offset.
  static func size(_ byteCount: Int, header: [UInt8]) -> (bytes: [UInt8], offset: Int)? {
    if header.starts(with: "RIFF".utf8) {
      return byteCount - 8 <= UInt32.max ? (little(byteCount - 8, 4), 4) : nil
    }
    // The sizes of an RF64 file are in its first chunk.
    let isLarge = header.starts(with: "RF64".utf8) && header.dropFirst(12).starts(with: "ds64".utf8)
    return isLarge ? (little(byteCount - 8, 8), 20) : nil
  }

  private static func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0 ..< byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

extension AudioFileWriter {
  /// Appends markers to a completed growing file; does nothing if it is not a WAV file. [any one
  /// thread]
  ///
  /// - Throws: an error if the disk is full or fails; the audio is complete anyway.
  package mutating func append(_ marks: [FileMarker]) throws(AudioFileError) {
    guard container == .wav, output.isGrowing else { return }
    try add(marks)
  }

  /// Appends markers to a completed WAV file.
  mutating func add(_ marks: [FileMarker]) throws(AudioFileError) {
    let chunks = WAVCueChunks.chunks(marks)
    var header = [UInt8](repeating: 0, count: 16)
    let length = output.length
    _ = output.seek(to: 0)
    guard !chunks.isEmpty, unsafe output.get(&header, 16) == 16,
      let size = WAVCueChunks.size(length + chunks.count, header: header)
    else { return }
    _ = output.seek(to: length)
    _ = unsafe output.put(chunks, chunks.count)
    if output.failure == 0 { output.patch(size.bytes, at: size.offset) }
    if output.failure != 0 { throw failure() }
  }
}
