// MessageBacklog.swift: messages on their way into the engine's ring. SPDX-License-Identifier: MIT

import RealtimeKit

/// Writes messages into a ring, and sees to it that what ends a note arrives even where the ring is
/// full. [sequencer thread]
struct MessageBacklog {
  private struct Message {
    var time: UInt64
    var bytes: [UInt8]
  }

  /// Messages that did not fit.
  private(set) var droppedCount = 0
  /// Ends of notes that wait for room, oldest first.
  private var waiting: [Message] = []
  private let ring: UnsafePointer<MessageRing>

  /// Every key and pedal of every channel a few times over.
  private static let capacity = 16 * 128 * 4

  /// `ring` must outlive it, and have no other writer.
  init(_ ring: UnsafePointer<MessageRing>) {
    self.ring = ring
  }

  /// Whether something waits for room.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Hands a message over, or drops it and counts it; an end of a note waits instead.
  mutating func write(time: UInt64, _ bytes: [UInt8]) {
    // Behind what waits, only what waits too: a note must not be begun after its own end.
    if waiting.isEmpty, ring.pointee.write(time: time, bytes) { return }
    if Self.ends(bytes), waiting.count < Self.capacity {
      waiting.append(Message(time: time, bytes: bytes))
    } else {
      droppedCount += 1
    }
  }

  /// Passes on waiting messages until the ring is full.
  mutating func flush() {
    let written = waiting.prefix { ring.pointee.write(time: $0.time, $0.bytes) }.count
    waiting.removeFirst(written)
  }

  private static func ends(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { endsNote($0, buffer.count) } ?? false
    }
  }
}
