// TruncationCheck.swift: detects files that are shorter than their header says.
// SPDX-License-Identifier: MIT

/// libsndfile cuts the declared length down to the length of the file, and reports it only in its
/// log: `data : 32768 (should be 2912)`.
enum TruncationCheck {
  /// Sizes from here on mean "unknown", as programs that write to a pipe use them.
  private static let unknownByteCount = 0x7fff_0000

  /// Returns the number of frames in the header if it exceeds the actual `frameCount`; otherwise
  /// nil.
  static func promisedFrameCount(_ log: String, frameCount: Int) -> Int? {
    for line in log.split(separator: "\n") {
      let words = line.split(whereSeparator: { " ():".contains($0) })
      guard let mark = words.firstIndex(of: "should"), mark >= 2, words.count > mark + 2,
        isAudioChunk(words),
        let promised = Int(words[mark - 1]), let found = Int(words[mark + 2])
      else { continue }
      guard promised > found, found > 0, promised < unknownByteCount else { return nil }
      // The library returns the largest number for a stream of unknown length.
      return Int(
        exactly: (Double(frameCount) * Double(promised) / Double(found)).rounded())
    }
    return nil
  }

  private static func isAudioChunk(_ words: [Substring]) -> Bool {
    ["data", "SSND"].contains(words[0]) || words.starts(with: ["Data", "Size"])
  }
}
