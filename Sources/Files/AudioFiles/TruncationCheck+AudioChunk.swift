// TruncationCheck+AudioChunk.swift: the declared length of the audio data. SPDX-License-Identifier: MIT

import Glibc

extension TruncationCheck {
  /// The audio data of a file, as its header declares it.
  struct AudioChunk: Equatable {
    /// The first byte.
    var start: Int
    /// The length in bytes.
    var byteCount: Int
  }

  /// The chunks of a container.
  private struct Layout {
    /// The first chunk.
    var first: Int
    /// The bytes of the name and of the size.
    var nameByteCount = 4
    var sizeByteCount = 4
    var isBigEndian = false
    /// The name of the chunk with the audio.
    var name = "data"
    /// Whether the size includes name and size.
    var sizeIsOfWhole = false
    /// Chunks begin at multiples of this.
    var alignment = 2
    /// The bytes between the size and the audio.
    var preamble = 0
  }

  private static let layouts: [String: Layout] = [
    "RIFF": Layout(first: 12), "RF64": Layout(first: 12),
    "RIFX": Layout(first: 12, isBigEndian: true),
    "FORM": Layout(first: 12, isBigEndian: true, name: "SSND", preamble: 8),
    "riff": Layout(
      first: 40, nameByteCount: 16, sizeByteCount: 8, sizeIsOfWhole: true, alignment: 8),
    "caff": Layout(first: 8, sizeByteCount: 8, isBigEndian: true, alignment: 1, preamble: 4),
  ]

  /// Returns the audio data that a header declares; nil if it declares no length, as from a pipe. [any]
  static func audioChunk(of file: Bytes) -> AudioChunk? {
    let kind = file.text(at: 0, 4)
    if kind == ".snd" {
      guard let start = file.big(at: 4, 4), let size = file.big(at: 8, 4) else { return nil }
      return isKnown(size, byteCount: 4) ? AudioChunk(start: start, byteCount: size) : nil
    }
    guard let layout = layouts[kind] else { return nil }
    var offset = layout.first
    var largeSize: Int?
    for _ in 0 ..< maximumChunkCount {
      let name = file.text(at: offset, 4)
      let sizeOffset = offset + layout.nameByteCount
      guard
        var size = layout.isBigEndian
          ? file.big(at: sizeOffset, layout.sizeByteCount)
          : file.little(at: sizeOffset, layout.sizeByteCount)
      else { return nil }
      let start = sizeOffset + layout.sizeByteCount
      if name == "ds64" { largeSize = file.little(at: start + 8, 8) }
      if layout.sizeIsOfWhole { size -= start - offset }
      if name == layout.name {
        let isLarge = kind == "RF64" && size == 0xffff_ffff
        if isLarge { size = largeSize ?? -1 }
        let byteCount = isLarge ? 8 : layout.sizeByteCount
        size -= isKnown(size, byteCount: byteCount) ? layout.preamble : size
        guard isKnown(size, byteCount: byteCount) else { return nil }
        return AudioChunk(start: start + layout.preamble, byteCount: size)
      }
      guard size >= 0, size < file.length else { return nil }
      let end = start + size
      offset = (end + layout.alignment - 1) / layout.alignment * layout.alignment
    }
    return nil
  }

  /// Whether a size is a length: programs that write to a pipe put zeros, ones, or nearly the greatest number.
  private static func isKnown(_ size: Int, byteCount: Int) -> Bool {
    guard size > 0 else { return false }
    if byteCount == 8 { return size < Int.max - 0xffff }
    return size < 0xffff_0000 && !(0x7fff_0000 ... 0x7fff_ffff ~= size)
  }

  /// Returns the length of a regular file; nil for others. [any]
  static func byteCount(_ descriptor: Int32) -> Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Int(status.st_size)
  }
}
