// Reblocker+Events.swift: MIDI through re-blocking. SPDX-License-Identifier: MIT
//
// Real-time safe: see Reblocker.swift.

import CRealtime
import RealtimeKit
import Synchronization

extension Reblocker {
  /// The queue size in each direction, in bytes: 2,000 short messages.
  static var eventCapacityBytes: Int { 1 << 16 }
  /// The part of it that is reserved for ends of notes.
  static var sparedEventBytes: Int { @_noLocks get { 16_384 } }
}

/// Adds a message of the host's next block, which follows the collected frames. [render]
@_noLocks @c(outboard_reblocked_event)
func takeReblockedEvent(
  _ context: UnsafeMutableRawPointer, _ frame: UInt32, _ bytes: UnsafePointer<UInt8>,
  _ byteCount: UInt32
) {
  let reblocker = context.assumingMemoryBound(to: Reblocker.self)
  let start = reblocker.pointee.taken &+ UInt64(truncatingIfNeeded: reblocker.pointee.filled)
  let spared = endsNote(bytes, Int(byteCount)) ? 0 : Reblocker.sparedEventBytes
  let isKept = reblocker.pointee.arrivals.write(
    time: start &+ UInt64(frame), bytes, Int(byteCount), sparingBytes: spared)
  if !isKept { reblocker.pointee.droppedEvents &+= 1 }
}

/// Passes the messages of the node's next block to the node. [render]
@_noLocks
func deliverEvents(_ reblocker: UnsafeMutablePointer<Reblocker>, _ frameCount: Int) {
  guard let function = reblocker.pointee.eventFunction,
    let context = reblocker.pointee.eventContext
  else { return }
  let start = reblocker.pointee.taken
  let end = start &+ UInt64(truncatingIfNeeded: frameCount)
  while let time = reblocker.pointee.arrivals.nextTime(), time < end {
    let count = reblocker.pointee.arrivals.take(into: reblocker.pointee.eventBytes)
    let frame = time > start ? time &- start : 0
    crealtime_send_event(
      function, context, UInt32(truncatingIfNeeded: frame),
      reblocker.pointee.eventBytes.assumingMemoryBound(to: UInt8.self),
      UInt32(truncatingIfNeeded: count))
  }
}

/// Stores the node's messages until its output is due. [render]
@_noLocks
func storeSentEvents(_ reblocker: UnsafeMutablePointer<Reblocker>) {
  guard let queue = reblocker.pointee.stepEvents else { return }
  let isLate = reblocker.pointee.isCollecting.load(ordering: .relaxed)
  let delay = isLate ? UInt64(truncatingIfNeeded: reblocker.pointee.unit &- 1) : 0
  let start = reblocker.pointee.taken &+ delay
  let count = queue.pointee.count
  for index in 0 ..< count {
    let message = queue.pointee.message(at: index)
    let byteCount = Int(queue.pointee.byteCount(at: index))
    let spared = endsNote(message, byteCount) ? 0 : Reblocker.sparedEventBytes
    let isKept = reblocker.pointee.departures.write(
      time: start &+ UInt64(queue.pointee.frame(at: index)), message, byteCount,
      sparingBytes: spared)
    if !isKept { reblocker.pointee.droppedEvents &+= 1 }
  }
}

/// Sends the messages that are due in a host block. [render]
@_noLocks
func emitEvents(
  _ reblocker: UnsafeMutablePointer<Reblocker>, from start: UInt64, _ frameCount: Int
) {
  guard let queue = reblocker.pointee.sentEvents else { return }
  queue.pointee.clear()
  let end = start &+ UInt64(truncatingIfNeeded: frameCount)
  while let time = reblocker.pointee.departures.nextTime(), time < end {
    let count = reblocker.pointee.departures.take(into: reblocker.pointee.eventBytes)
    let frame = time > start ? time &- start : 0
    queue.pointee.add(
      frame: UInt32(truncatingIfNeeded: frame),
      UnsafePointer(reblocker.pointee.eventBytes.assumingMemoryBound(to: UInt8.self)), count)
  }
}
