// OutgoingMessages.swift: passes messages from the engine's ring to the kernel's queue.
// SPDX-License-Identifier: MIT

import CALSA
import Glibc
import RealtimeKit

/// Takes the engine's messages and schedules them at their time. [sequencer thread]
struct OutgoingMessages {
  private let ring: UnsafePointer<MessageRing>
  private var scratch: [UInt8]
  private var encoder: MIDIEncoder
  /// The event for which the kernel had no room, and the number of attempts.
  private var stuck: snd_seq_event_t?
  private var attempts = 0
  /// The time of the current message, CLOCK_MONOTONIC in nanoseconds.
  private var time: UInt64 = 0
  /// The latest time of all messages; held notes are ended at that time or later.
  private var latest: UInt64 = 0
  private var heldNotes = HeldNotes()
  /// Whether a clock was started and not stopped.
  private var isClockRunning = false

  /// About one second of attempts.
  private static let maximumAttempts = 1_000
  /// The source of everything that is sent: this program.
  private static let application = SequencerAddress(client: 0, port: 0)

  /// Creates a sender for `ring`, which must outlive it and have no other reader.
  init(_ ring: UnsafePointer<MessageRing>) throws(SequencerError) {
    self.ring = ring
    scratch = [UInt8](repeating: 0, count: ring.pointee.maximumByteCount)
    encoder = try MIDIEncoder()
  }

  /// Sends the messages that fit into the kernel's queue.
  ///
  /// The rest follows in the next call.
  mutating func send(
    through sequencer: Sequencer, _ ports: SequencerPorts, _ clock: QueueClock,
    _ board: SequencerStatusStore
  ) {
    while sendEvents(through: sequencer, ports, clock) || dropPending(board) {
      attempts = 0
      guard let message = take() else { return }
      board.count(sent: 1)
      heldNotes.follow(message, from: Self.application)
      followClock(message)
      encoder.begin(message)
    }
  }

  private mutating func followClock(_ message: [UInt8]) {
    switch message.first {
    case 0xfa, 0xfb: isClockRunning = true
    case 0xfc: isClockRunning = false
    default: break
    }
  }

  /// Drops the current message if it has waited too long for room; returns false while it may wait.
  private mutating func dropPending(_ board: SequencerStatusStore) -> Bool {
    attempts += 1
    guard attempts >= Self.maximumAttempts else { return false }
    board.count(dropped: 1)
    encoder.begin([])
    stuck = nil
    return true
  }

  /// Ends all held notes and pedals, and stops a clock, after everything that was sent.
  mutating func releaseAll(
    through sequencer: Sequencer, _ ports: SequencerPorts, _ clock: QueueClock
  ) {
    time = latest
    let stop: [[UInt8]] = isClockRunning ? [[0xfc]] : []
    isClockRunning = false
    for message in heldNotes.release(Self.application) + stop {
      encoder.begin(message)
      _ = sendEvents(through: sequencer, ports, clock)
    }
  }

  private mutating func take() -> [UInt8]? {
    guard let next = ring.pointee.nextTime() else { return nil }
    time = next
    latest = max(latest, next)
    let count = scratch.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ring.pointee.take(into: $0) } ?? 0
    }
    return Array(scratch[..<count])
  }

  /// Sends the events of the current message; returns false if one of them did not fit.
  private mutating func sendEvents(
    through sequencer: Sequencer, _ ports: SequencerPorts, _ clock: QueueClock
  ) -> Bool {
    guard let port = ports.output else { return true }
    while var event = stuck ?? encoder.next() {
      guard sequencer.send(&event, from: port, ports.queue, at: clock.queue(monotonic: time)) else {
        stuck = event
        return false
      }
      stuck = nil
    }
    return true
  }
}
