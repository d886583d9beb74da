// ContentHash.swift: tells contents apart. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A hash of texts and files (FNV-1a, 64 bits), good against chance but not against malice.
struct ContentHash {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The hash as sixteen digits or fewer.
  var text: String { String(hash, radix: 16) }

  /// Adds a text, and that it ends here.
  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0)
  }

  /// Adds what a file holds; one that cannot be read is told apart from an empty one.
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
