// ContentHash.swift: hashes of contents. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A hash of texts and files (FNV-1a, 64 bits); not secure against tampering.
struct ContentHash {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The hash as up to sixteen hexadecimal digits.
  var text: String { String(hash, radix: 16) }

  /// Adds a text and its end.
  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0)
  }

  /// Adds the content of a file; an unreadable file differs from an empty one.
  mutating func add(contentsOf file: String) {
    guard let data = FileManager.default.contents(atPath: file) else {
      add(1)
      return
    }
    for byte in data { add(byte) }
    add(0)
  }

  private mutating func add(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }
}
