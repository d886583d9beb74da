// EngineEvents.swift: the MIDI input and output of the engine, on the audio thread.
// SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. EngineEvents+Setup.swift creates and fills
// it.

import CRealtime
import RealtimeKit
import Synchronization

/// The MIDI input and output of an engine, at a fixed address.
struct EngineEvents: ~Copyable {
  /// From one other thread: complete messages, with the time of their arrival.
  let input: UnsafeMutablePointer<MessageRing>
  /// To one other thread: complete messages, with the time at which they must be sent.
  let output: UnsafeMutablePointer<MessageRing>
  /// The input messages of this block.
  let queue: UnsafeMutablePointer<EventQueue>
  /// A buffer for the current message, as long as the longest one.
  let scratch: UnsafeMutablePointer<UInt8>
  /// The scheduled messages, by frames of the stream, and how many of them are done.
  var schedule: EventSchedule?
  var clock: BlockClock
  /// The delay from a message's arrival to its frame: one block, so that no message is late.
  let inputDelayFrames: Int
  /// The delay from the start of a block's rendering until its first frame is audible, in frames.
  let outputDelayFrames = Atomic<Int>(0)
  /// The number of messages that were dropped because `output` or a delay was full.
  let dropped = Atomic<Int>(0)
  /// The last program change, 0 to 127; -1 if there was none since it was last taken.
  let program = Atomic<Int>(-1)
  var frameCount = 0

  deinit {
    input.deinitialize(count: 1)
    input.deallocate()
    output.deinitialize(count: 1)
    output.deallocate()
    queue.deinitialize(count: 1)
    queue.deallocate()
    scratch.deallocate()
    schedule?.free()
  }
}

/// Messages by the frame at which they take effect, in order, in separate memory.
struct EventSchedule: BitwiseCopyable {
  struct Entry: BitwiseCopyable {
    var frame: UInt64
    var start: Int
    var byteCount: Int
  }

  let entries: UnsafeMutablePointer<Entry>
  let bytes: UnsafeMutablePointer<UInt8>
  let count: Int
  var next = 0

  /// Frees the memory. [main, not rendering]
  func free() {
    entries.deallocate()
    bytes.deallocate()
  }
}

// MARK: - Render

/// Collects the messages of a block whose rendering starts at `now`. [render]
@_noLocks
func collectEvents(_ events: UnsafeMutablePointer<EngineEvents>, now: UInt64, _ frameCount: Int) {
  events.pointee.clock.begin(now: now, frameCount)
  events.pointee.frameCount = frameCount
  events.pointee.queue.pointee.clear()
  takeScheduled(events, frameCount)
  collectLiveEvents(events, frameCount)
}

@_noLocks
private func takeScheduled(_ events: UnsafeMutablePointer<EngineEvents>, _ frameCount: Int) {
  guard let schedule = events.pointee.schedule else { return }
  let start = events.pointee.clock.position
  let end = start &+ UInt64(truncatingIfNeeded: frameCount)
  var next = schedule.next
  while next < schedule.count, schedule.entries[next].frame < end {
    let entry = schedule.entries[next]
    let frame = entry.frame > start ? entry.frame &- start : 0
    events.pointee.queue.pointee.add(
      frame: UInt32(truncatingIfNeeded: frame), schedule.bytes + entry.start, entry.byteCount)
    next &+= 1
  }
  events.pointee.schedule?.next = next
}

/// Takes the messages that take effect in this block; messages that do not fit wait for the next
/// block.
@_noLocks
private func collectLiveEvents(_ events: UnsafeMutablePointer<EngineEvents>, _ frameCount: Int) {
  let ring = events.pointee.input
  let queue = events.pointee.queue
  var earliest = 0
  while let time = ring.pointee.nextTime() {
    let frame = max(earliest, frameOffset(ofArrival: time, in: events))
    guard frame < frameCount,
      queue.pointee.hasRoom(forByteCount: ring.pointee.nextByteCount())
    else { return }
    let byteCount = ring.pointee.take(into: events.pointee.scratch)
    if byteCount == 2, events.pointee.scratch[0] & 0xf0 == 0xc0 {
      events.pointee.program.store(Int(events.pointee.scratch[1] & 0x7f), ordering: .relaxed)
    }
    queue.pointee.add(
      frame: UInt32(truncatingIfNeeded: frame), events.pointee.scratch, byteCount)
    // A message never overtakes an earlier one.
    earliest = frame
  }
}

/// Returns the frame, from the start of this block, at which a message takes effect.
@_noLocks
private func frameOffset(ofArrival time: UInt64, in events: UnsafeMutablePointer<EngineEvents>)
  -> Int
{
  guard time > 0 else { return 0 }
  let frame =
    events.pointee.clock.frames(until: time) + Double(events.pointee.inputDelayFrames)
  // Compared as a fraction, because a distant time exceeds the range of an integer.
  if frame <= 0 { return 0 }
  return frame >= Double(events.pointee.frameCount) ? events.pointee.frameCount : Int(frame)
}

/// Sends a message of this block, with the time at which its frame is audible. [render]
@_noLocks @c(outboard_engine_event_output)
func sendEngineEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let events = context.assumingMemoryBound(to: EngineEvents.self)
  let delay = events.pointee.outputDelayFrames.load(ordering: .relaxed)
  let time = events.pointee.clock.time(ofFrame: Int(frame) &+ delay)
  let count = Int(byteCount)
  let spared = endsNote(bytes, count) ? 0 : EngineEvents.noteOffReserveBytes
  if !events.pointee.output.pointee.write(time: time, bytes, count, sparingBytes: spared) {
    events.pointee.dropped.add(1, ordering: .relaxed)
  }
}

extension EngineEvents {
  /// Room in the output, in bytes, that is reserved for messages that end notes.
  static var noteOffReserveBytes: Int { @_noLocks get { 16_384 } }
}
