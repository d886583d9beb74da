// MessageBacklogTests.swift: note-offs when a ring is full. SPDX-License-Identifier: MIT

import RealtimeKit
import Testing

@testable import ALSASequencer

@Suite struct MessageBacklogTests {
  /// Calls `body` with a backlog before a ring of two messages, and a function that reads one message.
  private func withBacklog(_ body: (inout MessageBacklog, () -> [UInt8]?) -> Void) {
    let ring = UnsafeMutablePointer<MessageRing>.allocate(capacity: 1)
    ring.initialize(to: MessageRing(capacityBytes: 64))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    var backlog = MessageBacklog(UnsafePointer(ring))
    body(&backlog) {
      guard ring.pointee.nextTime() != nil else { return nil }
      var bytes = [UInt8](repeating: 0, count: ring.pointee.maximumByteCount)
      let count = bytes.withUnsafeMutableBytes { buffer in
        buffer.baseAddress.map { ring.pointee.take(into: $0) } ?? 0
      }
      return Array(bytes[..<count])
    }
  }

  @Test func `note-offs wait for room, and note-ons are dropped`() {
    withBacklog { backlog, take in
      backlog.write(time: 1, [0x90, 1, 1])
      backlog.write(time: 2, [0x90, 2, 1])
      backlog.write(time: 3, [0x90, 3, 1])
      backlog.write(time: 4, [0x80, 1, 0])
      #expect(backlog.droppedCount == 1)
      #expect(backlog.isWaiting)
      #expect(take() == [0x90, 1, 1])
      // There is room, but the end of the first note has priority.
      backlog.write(time: 5, [0x90, 1, 1])
      #expect(backlog.droppedCount == 2)
      backlog.flush()
      #expect(!backlog.isWaiting)
      #expect(take() == [0x90, 2, 1])
      #expect(take() == [0x80, 1, 0])
      #expect(take() == nil)
    }
  }

  @Test func `a message longer than the ring is dropped`() {
    withBacklog { backlog, take in
      backlog.write(time: 1, [UInt8](repeating: 0xf0, count: 100))
      #expect(backlog.droppedCount == 1)
      #expect(take() == nil)
    }
  }
}
