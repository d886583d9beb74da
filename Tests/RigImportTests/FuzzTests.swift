// FuzzTests.swift: damaged projects. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import GraphTestSupport
import RigImport
import Testing

@Suite struct `Damaged projects are read or refused` {
  /// Cuts, repeats and replaces pieces of a text.
  private func damaged(_ text: String, _ numbers: inout Numbers) -> String {
    var bytes = Array(text.utf8)
    for _ in 0 ... numbers.next(below: 4) where !bytes.isEmpty {
      let start = numbers.next(below: bytes.count)
      let end = min(bytes.count, start + 1 + numbers.next(below: 40))
      switch numbers.next(below: 4) {
      case 0: bytes.removeSubrange(start ..< end)
      case 1: bytes.insert(contentsOf: bytes[start ..< end], at: start)
      case 2: bytes[start] = UInt8(1 + numbers.next(below: 126))
      default: bytes.removeSubrange(start...)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `no damage crashes a reader`() throws {
    var numbers = Numbers(seed: 24)
    var counts = (read: 0, refused: 0)
    for (name, text) in try Projects.all() {
      for _ in 0 ..< 300 {
        do {
          _ = try ProjectFormats.read(ProjectSource(path: name, text: damaged(text, &numbers)))
          counts.read += 1
        } catch let error as any HostError {
          #expect(!error.description.isEmpty && !error.description.contains("\n"))
          counts.refused += 1
        }
      }
    }
    #expect(counts.read > 0 && counts.refused > 0)
  }
}
