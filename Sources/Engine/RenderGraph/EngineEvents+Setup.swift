// EngineEvents+Setup.swift: creates the engine's MIDI input and output, and schedules events.
// SPDX-License-Identifier: MIT

package import RealtimeKit
import Synchronization

/// A MIDI message with the frame at which it takes effect.
package struct ScheduledEvent: Sendable, Equatable {
  /// The frame, counted from the start of the stream.
  package var frame: UInt64
  /// A complete message, without running status.
  package var bytes: [UInt8]

  /// Creates a message at a frame.
  package init(frame: UInt64, bytes: [UInt8]) {
    self.frame = frame
    self.bytes = bytes
  }
}

extension EngineEvents {
  /// The capacity of the rings: several seconds of a fast player, or one large system-exclusive
  /// message.
  private static let ringBytes = 65_536

  /// Creates empty rings and an empty block. [main]
  init(_ settings: Engine.Settings) {
    input = .allocate(capacity: 1)
    input.initialize(to: MessageRing(capacityBytes: Self.ringBytes))
    output = .allocate(capacity: 1)
    output.initialize(to: MessageRing(capacityBytes: Self.ringBytes))
    queue = .allocate(capacity: 1)
    queue.initialize(to: EventQueue())
    scratch = .allocate(capacity: input.pointee.maximumByteCount)
    scratch.initialize(repeating: 0, count: input.pointee.maximumByteCount)
    schedule = nil
    clock = BlockClock(sampleRateHz: settings.sampleRateHz)
    inputDelayFrames = settings.maximumFrameCount
    outputDelayFrames.store(settings.maximumFrameCount, ordering: .relaxed)
  }

  /// Replaces the schedule. [main, not rendering]
  mutating func replaceScheduled(_ events: [ScheduledEvent]) {
    schedule?.free()
    // Swift's sort is stable: messages of the same frame stay in order.
    let sorted = events.sorted { $0.frame < $1.frame }
    let byteCount = sorted.reduce(0) { $0 + $1.bytes.count }
    let entries = UnsafeMutablePointer<EventSchedule.Entry>.allocate(capacity: max(1, sorted.count))
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, byteCount))
    var used = 0
    for (index, event) in sorted.enumerated() {
      (entries + index).initialize(
        to: EventSchedule.Entry(frame: event.frame, start: used, byteCount: event.bytes.count))
      for byte in event.bytes {
        (bytes + used).initialize(to: byte)
        used += 1
      }
    }
    schedule = EventSchedule(entries: entries, bytes: bytes, count: sorted.count)
    // All messages may fall into one block, and none may be lost. A quarter of a queue is reserved
    // for messages that end notes.
    queue.pointee = EventQueue(
      capacity: 1_024 + sorted.count * 4 / 3 + 4,
      capacityBytes: Self.ringBytes + byteCount * 4 / 3 + 4)
  }
}

// MARK: - Interface for other components

extension Engine {
  /// MIDI for the graph, from one writing thread: complete messages without running status, in
  /// order, each with the CLOCK_MONOTONIC time of its arrival in ns; 0 means as soon as possible.
  ///
  /// A message takes effect one block of the maximum length after its arrival, to the frame, even
  /// if the audio thread wakes late. An older message takes effect at the first frame of the next
  /// block. A message with a future time waits, and so do all messages behind it. The ring lives as
  /// long as the engine. [main; its content: the writer]
  package var midiInput: UnsafePointer<MessageRing> { UnsafePointer(events.pointee.input) }

  /// MIDI from the graph, for one reading thread.
  ///
  /// Each message is complete and has the CLOCK_MONOTONIC time in ns at which it must be sent,
  /// usually one block ahead. The ring lives as long as the engine. [main; its content: the reader]
  package var midiOutput: UnsafePointer<MessageRing> { UnsafePointer(events.pointee.output) }

  /// The number of messages that were dropped because `midiOutput` or a delay for MIDI was full.
  /// [any]
  package var droppedMIDICount: Int {
    events.pointee.dropped.load(ordering: .relaxed)
  }

  /// Returns the last program change of any channel since the last call, 0 to 127, or nil for none.
  /// [main]
  package func takeMIDIProgram() -> Int? {
    let program = events.pointee.program.exchange(-1, ordering: .relaxed)
    return program < 0 ? nil : program
  }

  /// Sets the delay from the start of a block's rendering until its first frame is audible, in
  /// frames.
  ///
  /// MIDI output is delayed by it too. The default is a block of the maximum length. [main]
  package func setMIDIOutputDelay(frameCount: Int) {
    events.pointee.outputDelayFrames.store(max(0, frameCount), ordering: .relaxed)
  }

  /// Replaces the schedule: MIDI for the graph by frames of the stream.
  ///
  /// The output is the same for every block length. [main, before rendering]
  package func schedule(_ messages: [ScheduledEvent]) { events.pointee.replaceScheduled(messages) }
}
