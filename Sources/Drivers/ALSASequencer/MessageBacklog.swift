// MessageBacklog.swift: writes messages into the engine's ring. SPDX-License-Identifier: MIT

import RealtimeKit

/// Writes messages into a ring, and keeps messages that end notes until a full ring has room.
/// [sequencer thread]
struct MessageBacklog {
  private struct Message {
    var time: UInt64
    var bytes: [UInt8]
  }

  /// The number of messages that did not fit.
  private(set) var droppedCount = 0
  /// Messages that end notes and wait for room, oldest first.
  private var waiting: [Message] = []
  private let ring: UnsafePointer<MessageRing>

  /// Several times the number of all keys and pedals of all channels.
  private static let capacity = 16 * 128 * 4

  /// Creates a backlog for `ring`, which must outlive it and have no other writer.
  init(_ ring: UnsafePointer<MessageRing>) {
    self.ring = ring
  }

  /// Whether a message waits for room.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Writes a message, or drops and counts it; a message that ends a note waits instead.
  mutating func write(time: UInt64, _ bytes: [UInt8]) {
    // Behind waiting messages, all messages wait: a note must not begin after its own end.
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
