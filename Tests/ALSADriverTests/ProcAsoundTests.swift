// ProcAsoundTests.swift: the process that uses a device, from /proc/asound. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ALSADriver

@Suite struct ProcAsoundTests {
  /// A directory like /proc.
  ///
  /// One program uses two playback streams of the first card. A program that has exited used the capture of the
  /// second card.
  private func withProc(_ body: (String) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    let files = [
      "asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 312\n",
      "asound/card0/pcm0p/sub1/status": "state: RUNNING\nowner_pid   : 312\n",
      "asound/card0/pcm0c/sub0/status": "closed\n",
      "asound/card1/pcm3c/sub0/status": "state: SETUP\nowner_pid   : 99\n",
      "312/comm": "aplay\n",
    ]
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try body(root.path)
  }

  @Test func `a program is listed once, with its process number`() throws {
    try withProc { root in
      let holders = ProcAsound.holders(card: 0, device: 0, direction: .playback, root: root)
      #expect(holders == ["aplay (process 312)"])
    }
  }

  @Test func `a closed stream has no owner`() throws {
    try withProc { root in
      #expect(ProcAsound.holders(card: 0, device: 0, direction: .capture, root: root) == [])
      #expect(ProcAsound.holders(card: 7, device: nil, direction: nil, root: root) == [])
    }
  }

  @Test func `the cards are found by their directories`() throws {
    try withProc { root in
      #expect(ProcAsound.cards(root: root) == [0, 1])
      #expect(ProcAsound.cards(root: "\(root)/312") == [])
    }
  }

  @Test func `a program without a name is reported by its number`() throws {
    try withProc { root in
      #expect(
        ProcAsound.holders(card: nil, device: nil, direction: .capture, root: root)
          == ["process 99"])
      #expect(ProcAsound.holders(card: 1, device: 0, direction: nil, root: root) == [])
    }
  }
}
