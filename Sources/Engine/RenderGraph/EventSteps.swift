// EventSteps.swift: passes MIDI from node to node within a render sequence. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

/// The context of a delivery, in memory of the render sequence: its sources and its sink.
struct EventDeliveryState {
  let sources: UnsafePointer<UnsafeMutablePointer<EventQueue>>
  /// The index of the next message of each source.
  let cursors: UnsafeMutablePointer<Int>
  let sourceCount: Int
  let function: crealtime_event_function
  let context: UnsafeMutableRawPointer
}

/// Delivers the messages of all sources in the order of their frames.
///
/// Messages of the same frame keep the order of the connections. [render]
@_noLocks @c(outboard_event_delivery_step)
func eventDeliveryStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: EventDeliveryState.self)
  let cursors = state.pointee.cursors
  for index in 0 ..< state.pointee.sourceCount { cursors[index] = 0 }
  while true {
    var earliest = -1
    var earliestFrame = UInt32.max
    for index in 0 ..< state.pointee.sourceCount {
      let queue = state.pointee.sources[index]
      guard cursors[index] < queue.pointee.count else { continue }
      let frame = queue.pointee.frame(at: cursors[index])
      if earliest < 0 || frame < earliestFrame { (earliest, earliestFrame) = (index, frame) }
    }
    guard earliest >= 0 else { return }
    let queue = state.pointee.sources[earliest]
    let next = cursors[earliest]
    cursors[earliest] = next &+ 1
    crealtime_send_event(
      state.pointee.function, state.pointee.context, min(earliestFrame, frameCount &- 1),
      queue.pointee.message(at: next), queue.pointee.byteCount(at: next))
  }
}

/// Messages that are delayed as long as the audio that they belong to, at a fixed address.
struct EventDelayState: ~Copyable {
  let source: UnsafeMutablePointer<EventQueue>
  let frameCount: Int
  /// The delayed messages, each with the frame of the stream at which it continues.
  let waiting: MessageRing
  /// The messages of this block.
  let result: UnsafeMutablePointer<EventQueue>
  let scratch: UnsafeMutablePointer<UInt8>
  /// The engine, which counts dropped messages.
  let engine: UnsafeMutablePointer<EngineEvents>
  var position: UInt64 = 0

  deinit {
    result.deinitialize(count: 1)
    result.deallocate()
    scratch.deallocate()
  }

  /// Room, in bytes, that is reserved for messages that end notes.
  static var noteOffReserveBytes: Int { @_noLocks get { 16_384 } }
}

/// Outputs the messages of `frameCount` frames ago. [render]
@_noLocks @c(outboard_event_delay_step)
func eventDelayStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: EventDelayState.self)
  let source = state.pointee.source
  let start = state.pointee.position
  var dropped = 0 &- state.pointee.result.pointee.droppedCount
  for index in 0 ..< source.pointee.count {
    let time =
      start &+ UInt64(source.pointee.frame(at: index))
      &+ UInt64(truncatingIfNeeded: state.pointee.frameCount)
    let message = source.pointee.message(at: index)
    let byteCount = Int(source.pointee.byteCount(at: index))
    let spared = endsNote(message, byteCount) ? 0 : EventDelayState.noteOffReserveBytes
    let isTaken = state.pointee.waiting.write(
      time: time, message, byteCount, sparingBytes: spared)
    if !isTaken { dropped &+= 1 }
  }
  let end = start &+ UInt64(frameCount)
  state.pointee.result.pointee.clear()
  while let time = state.pointee.waiting.nextTime(), time < end {
    let byteCount = state.pointee.waiting.take(into: state.pointee.scratch)
    state.pointee.result.pointee.add(
      frame: UInt32(truncatingIfNeeded: time &- start), state.pointee.scratch, byteCount)
  }
  state.pointee.position = end
  dropped &+= state.pointee.result.pointee.droppedCount
  if dropped > 0 { state.pointee.engine.pointee.dropped.add(dropped, ordering: .relaxed) }
}

/// The owner of an `EventDelayState`.
///
/// The next render sequence reuses it if it delays the same source by the same length. [main]
final class EventDelay {
  /// Identifies a delayed source, nil for the engine's input, and its delay, in frames.
  struct Key: Hashable {
    let source: ObjectIdentifier?
    let frameCount: Int
  }

  let pointer: UnsafeMutablePointer<EventDelayState>

  /// Creates a delay for the messages of a queue.
  init(
    _ source: UnsafeMutablePointer<EventQueue>, frameCount: Int,
    engine: UnsafeMutablePointer<EngineEvents>
  ) {
    let waiting = MessageRing(capacityBytes: 65_536)
    let scratchBytes = waiting.maximumByteCount
    let result = UnsafeMutablePointer<EventQueue>.allocate(capacity: 1)
    result.initialize(to: EventQueue())
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: scratchBytes)
    scratch.initialize(repeating: 0, count: scratchBytes)
    pointer = .allocate(capacity: 1)
    pointer.initialize(
      to: EventDelayState(
        source: source, frameCount: frameCount, waiting: waiting, result: result,
        scratch: scratch, engine: engine))
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}
