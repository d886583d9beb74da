// EngineEvents+Setup.swift: what makes the engine's MIDI borders, and lays events down. SPDX-License-Identifier: MIT

package import RealtimeKit
import Synchronization

/// A MIDI message with the frame at which it takes effect.
package struct ScheduledEvent: Sendable, Equatable {
  /// Frames from the start of the stream.
  package var frame: UInt64
  /// A whole message without running status.
  package var bytes: [UInt8]

  /// A message at its frame.
  package init(frame: UInt64, bytes: [UInt8]) {
    self.frame = frame
    self.bytes = bytes
  }
}

extension EngineEvents {
  /// Room for what a fast player sends in several seconds, or one large system-exclusive message.
  private static let ringBytes = 65_536

  /// Empty rings and an empty block. [main]
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

  /// Replaces what is laid down. [main, not rendering]
  mutating func lay(_ events: [ScheduledEvent]) {
    schedule?.free()
    // Swift's own sort is stable: messages of one frame stay in order.
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
    // All of them may fall into one block, and none may be lost for that; a quarter of a queue is
    // kept for ends of notes.
    queue.pointee = EventQueue(
      capacity: 1_024 + sorted.count * 4 / 3 + 4,
      capacityBytes: Self.ringBytes + byteCount * 4 / 3 + 4)
  }
}

// MARK: - For others

extension Engine {
  /// MIDI for the graph, from one writing thread: whole messages without running status, each with
  /// the CLOCK_MONOTONIC time of its arrival in ns, in order; 0 means as soon as possible.
  ///
  /// A message takes effect one block of the maximum length after its arrival, to the frame, however
  /// late the audio thread wakes; one that is later than that at the next block's first frame, and
  /// one whose time has not yet come waits, and all behind it. Lives as long as the engine.
  /// [main; what is in it: its writer]
  package var midiInput: UnsafePointer<MessageRing> { UnsafePointer(events.pointee.input) }

  /// MIDI from the graph, for one reading thread.
  ///
  /// Whole messages, each with the CLOCK_MONOTONIC time in ns at which it shall be heard, usually a
  /// block ahead. Lives as long as the engine. [main; what is in it: its reader]
  package var midiOutput: UnsafePointer<MessageRing> { UnsafePointer(events.pointee.output) }

  /// Messages that found no room in `midiOutput`, or where they waited for delayed sound. [any]
  package var droppedMIDICount: Int {
    events.pointee.dropped.load(ordering: .relaxed)
  }

  /// The program that a keyboard has asked for on any channel since the last call, 0 to 127; nil for
  /// none. [main]
  package func takeMIDIProgram() -> Int? {
    let program = events.pointee.program.exchange(-1, ordering: .relaxed)
    return program < 0 ? nil : program
  }

  /// Frames from the start of a block's rendering until its first frame is heard, by which MIDI that
  /// goes out is late too; a block of the maximum length unless a driver knows better. [main]
  package func setMIDIOutputDelay(frameCount: Int) {
    events.pointee.outputDelayFrames.store(max(0, frameCount), ordering: .relaxed)
  }

  /// Lays down MIDI for the graph by frames of the stream, in place of what was laid down before: the
  /// same output for every block length. [main, before rendering]
  package func schedule(_ messages: [ScheduledEvent]) { events.pointee.lay(messages) }
}
