// Noise.swift: samples whose every bit matters, and whether they came through. SPDX-License-Identifier: MIT

import Glibc

/// Files of raw little-endian samples.
enum Noise {
  /// Bytes of seeded noise whose first frame is not silent.
  ///
  /// In samples of four bytes the lowest is 0, as a float keeps 24 bits. The last tenth is silent, as a loopback card repeats what lies in the
  /// player's buffer when the player ends.
  static func bytes(count: Int, sampleByteCount: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return (0 ..< count).map { index in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      if index >= count / 10 * 9 { return 0 }
      if sampleByteCount == 4, index % 4 == 0 { return 0 }
      return index < 16 ? 0x5a : UInt8(truncatingIfNeeded: state >> 24)
    }
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

  /// Where in `recorded`, after whole frames of silence, `played` begins; or why it is not there.
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
