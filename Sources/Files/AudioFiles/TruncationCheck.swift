// TruncationCheck.swift: whether a header declares more than the file holds. SPDX-License-Identifier: MIT

import CSndFile

/// Compares the length of a file with the length in its header.
///
/// libsndfile cuts the declared length down to the length of the file. For some containers it does not report this.
enum TruncationCheck {
  /// Returns how many frames a header declares, if the file is too short for them. [any]
  ///
  /// - Parameters:
  ///   - descriptor: a file of a container that has the length of its audio data in its header.
  ///   - info: the facts from libsndfile.
  /// - Returns: nil if the file is complete, or its header does not declare a length.
  static func promisedFrameCount(_ descriptor: Int32, _ info: SF_INFO) -> Int? {
    guard info.frames < Int64.max, let length = byteCount(descriptor) else { return nil }
    let file = Bytes(descriptor: descriptor, length: length)
    guard let chunk = audioChunk(of: file) else { return nil }
    let found = length - chunk.start
    guard chunk.byteCount > found, found > 0 else { return nil }
    if let sampleBytes = sampleByteCount(info.format) {
      return chunk.byteCount / (sampleBytes * Int(info.channels))
    }
    // Compressed: in proportion.
    return Int(
      exactly: (Double(info.frames) * Double(chunk.byteCount) / Double(found)).rounded())
  }

  /// Whether the header of a stream has no true length: programs that write to a pipe cannot know it, and use about
  /// 0x7FFFFFFF or 0xFFFFFFFF bytes. [any]
  static func isPlaceholder(_ info: SF_INFO) -> Bool {
    let frameBytes = Int(info.channels) * (sampleByteCount(info.format) ?? 1)
    return info.frames >= 0x7fff_0000 / max(1, frameBytes)
  }

  /// The bytes of a sample; nil for compressed formats.
  private static func sampleByteCount(_ format: Int32) -> Int? {
    let code = format & Int32(SF_FORMAT_SUBMASK)
    let single = [SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_ULAW, SF_FORMAT_ALAW]
    if single.contains(where: { Int32($0) == code }) { return 1 }
    return SampleFormat.allCases.first { $0.code == code }?.byteCount
  }
}
