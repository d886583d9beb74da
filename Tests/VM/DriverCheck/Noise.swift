// Noise.swift: samples in which every bit matters, and whether they arrived unchanged. SPDX-License-Identifier: MIT

import Glibc

/// Files of raw samples.
enum Noise {
  /// A sample format, with the name that alsa-lib's programs use.
  struct Format {
    private let kind: String
    private let isBigEndian: Bool

    init?(_ name: String) {
      guard let isBigEndian = ["LE": false, "BE": true][String(name.suffix(2))] else { return nil }
      let head = name.dropLast(2)
      kind = String(head.hasSuffix("_") ? head.dropLast() : head)
      self.isBigEndian = isBigEndian
      guard ["S16", "S24", "S24_3", "S32", "FLOAT"].contains(kind) else { return nil }
    }

    /// The bytes of a code of 24 bits.
    func bytes(_ code: Int32) -> [UInt8] {
      let bits: UInt32
      switch kind {
      case "S16": bits = UInt32(bitPattern: code >> 8)
      case "S32": bits = UInt32(bitPattern: code << 8)
      case "FLOAT": bits = (Float(code) / 8_388_608).bitPattern
      default: bits = UInt32(bitPattern: code)
      }
      let count = ["S16": 2, "S24_3": 3][kind] ?? 4
      let bytes = (0 ..< count).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
  }

  /// Bytes of seeded noise whose first frame is not silent.
  ///
  /// There are four channels, counted from 1, of which those in `channels` are written, in that
  /// order. The last third is silent, because a loopback card repeats the remaining content of the player's
  /// buffer when the player ends.
  static func bytes(frameCount: Int, format: Format, channels: [Int]) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    var bytes: [UInt8] = []
    for frame in 0 ..< frameCount {
      let codes = (0 ..< 4).map { channel -> Int32 in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        if frame >= frameCount / 3 * 2 { return 0 }
        // The first frame is not silent, then full scale follows.
        if frame < 4 { return 0x5a_5a5a - Int32(channel) << 8 }
        if frame < 8 { return frame % 2 == 0 ? 0x7f_ffff : -0x80_0000 }
        return Int32(bitPattern: UInt32(state >> 32)) >> 8
      }
      for channel in channels { bytes += format.bytes(codes[channel - 1]) }
    }
    return bytes
  }

  static func write(_ bytes: [UInt8], to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    defer { fclose(file) }
    return fwrite(bytes, 1, bytes.count, file) == bytes.count
  }

  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }

  /// Returns the position of `played` in `recorded`, after whole frames of silence, or the reason
  /// why it is missing.
  static func find(_ played: [UInt8], in recorded: [UInt8], frameByteCount: Int) -> String? {
    guard let first = recorded.firstIndex(where: { $0 != 0 }) else { return "it is silent" }
    let start = first / frameByteCount * frameByteCount
    guard recorded.count - start >= played.count else {
      return "it has \(recorded.count - start) bytes from the first sound on, not \(played.count)"
    }
    for index in played.indices where played[index] != recorded[start + index] {
      return "byte \(index) of \(played.count) differs"
    }
    guard recorded[(start + played.count)...].allSatisfy({ $0 == 0 }) else {
      return "there is sound after the end"
    }
    return nil
  }
}
