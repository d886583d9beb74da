// Reblocker.swift: converts blocks to the lengths that a plugin supports. SPDX-License-Identifier: MIT
//
// Real-time safe: no allocation, freeing, locks, waiting, errors or logging. BlockAdapter.swift allocates and
// frees it. The samples are the same as from Sources/SDK/LV2Shim/reblock.c.

import CRealtime
import RealtimeKit
import Synchronization

/// How a suitable host block is split.
enum BlockSplitting {
  /// Whole.
  case whole
  /// Into pieces of the unit.
  case units
  /// Into powers of two, the longest first.
  case powersOfTwo
}

/// The state between a render sequence and a node's step, which receives only supported blocks.
///
/// Suitable blocks pass at once, whole or in pieces. From the first unsuitable block on, frames are collected
/// until a block is full, while the previous block is output. A block of N frames is rendered when its last
/// frame arrives, and its first frame is output at that time. So the latency is N - 1 frames, the minimum.
/// Collecting never stops, because that would cause another gap.
struct Reblocker: ~Copyable {
  /// The step, with new buffers for each call.
  let step: UnsafeMutablePointer<crealtime_step>
  /// The event input of the node.
  let eventFunction: crealtime_event_function?
  let eventContext: UnsafeMutableRawPointer?
  /// The events of the node's last call and of the host's block.
  let stepEvents: UnsafeMutablePointer<EventQueue>?
  let sentEvents: UnsafeMutablePointer<EventQueue>?

  /// The frames of a collected block or of a piece.
  let unit: Int
  let cut: BlockSplitting
  let inputCount: Int
  let outputCount: Int
  /// Whether frames are collected; the main thread reads it for the latency.
  let isCollecting: Atomic<Bool>
  /// The number of frames collected for the next block.
  var filled = 0
  /// The number of frames passed to the node, which is the position of its next block.
  var taken: UInt64 = 0
  /// The buffers of a block: inputs are collected, outputs are sent out.
  let block: PlanarBuffer
  /// Pointers to a piece in the host's buffers, inputs first.
  let piece: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  /// Pending events to the node, by input frame, and from the node, by output frame.
  let arrivals: MessageRing
  let departures: MessageRing
  let eventBytes: UnsafeMutableRawPointer
  /// The number of lost events.
  var droppedEvents = 0

  deinit {
    step.deallocate()
    piece.deallocate()
    eventBytes.deallocate()
    sentEvents?.deinitialize(count: 1)
    sentEvents?.deallocate()
  }
}

/// The step of an adapter. [render]
@_noLocks @c(outboard_reblocked_step)
func reblockedStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let reblocker = context.assumingMemoryBound(to: Reblocker.self)
  let total = Int(frameCount)
  let start = reblocker.pointee.taken &+ UInt64(truncatingIfNeeded: reblocker.pointee.filled)
  if !reblocker.pointee.isCollecting.load(ordering: .relaxed) {
    if forwardDirectly(reblocker, buffers, total) {
      emitEvents(reblocker, from: start, total)
      return
    }
    reblocker.pointee.isCollecting.store(true, ordering: .relaxed)
  }
  bufferAndEmit(reblocker, buffers, total)
  emitEvents(reblocker, from: start, total)
}

// MARK: - Suitable blocks

/// Passes a suitable block on; returns false for an unsuitable one.
@_noLocks
private func forwardDirectly(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ total: Int
) -> Bool {
  let unit = reblocker.pointee.unit
  if case .powersOfTwo = reblocker.pointee.cut {
  } else if total % unit != 0 {
    return false
  }
  var done = 0
  while done < total {
    let part = pieceLength(reblocker, total &- done)
    if part == total {
      runStep(reblocker, buffers, total)
    } else {
      let rowCount = reblocker.pointee.inputCount &+ reblocker.pointee.outputCount
      for row in 0 ..< rowCount { reblocker.pointee.piece[row] = buffers[row] + done }
      runStep(reblocker, UnsafePointer(reblocker.pointee.piece), part)
    }
    done &+= part
  }
  return true
}

@_noLocks
private func pieceLength(_ reblocker: UnsafeMutablePointer<Reblocker>, _ left: Int) -> Int {
  switch reblocker.pointee.cut {
  case .whole: return left
  case .units: return reblocker.pointee.unit
  case .powersOfTwo:
    let highest = Int.bitWidth &- 1 &- left.leadingZeroBitCount
    return min(1 << highest, reblocker.pointee.unit)
  }
}

// MARK: - Unsuitable blocks

@_noLocks
private func bufferAndEmit(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ total: Int
) {
  let unit = reblocker.pointee.unit
  var done = 0
  while done < total {
    let filled = reblocker.pointee.filled
    let part = min(total &- done, unit &- filled)
    collect(reblocker, buffers, from: done, part)
    let isFull = filled &+ part == unit
    // Frame `filled` of this block is output with frame `filled + 1` of the previous one. The last frame is
    // output with the first frame of the block that it completes.
    emit(reblocker, buffers, from: done, isFull ? part &- 1 : part)
    done &+= part
    reblocker.pointee.filled = isFull ? 0 : filled &+ part
    if isFull {
      runStep(reblocker, UnsafePointer(reblocker.pointee.block.channels), unit)
      emitInitialDelay(reblocker, buffers, at: done &- 1)
    }
  }
}

@_noLocks
private func collect(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  for row in 0 ..< reblocker.pointee.inputCount {
    crealtime_copy(
      reblocker.pointee.block[row] + reblocker.pointee.filled, buffers[row] + start,
      UInt32(truncatingIfNeeded: count))
  }
}

@_noLocks
private func emit(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, from start: Int, _ count: Int
) {
  let inputCount = reblocker.pointee.inputCount
  for row in inputCount ..< inputCount &+ reblocker.pointee.outputCount {
    crealtime_copy(
      buffers[row] + start, reblocker.pointee.block[row] + (reblocker.pointee.filled &+ 1),
      UInt32(truncatingIfNeeded: count))
  }
}

@_noLocks
private func emitInitialDelay(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, at frame: Int
) {
  let inputCount = reblocker.pointee.inputCount
  for row in inputCount ..< inputCount &+ reblocker.pointee.outputCount {
    buffers[row][frame] = reblocker.pointee.block[row][0]
  }
}

// MARK: - The step

/// Runs the node once, with the events of its block.
@_noLocks
private func runStep(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  deliverEvents(reblocker, frameCount)
  reblocker.pointee.step.pointee.buffers = buffers
  crealtime_call_step(reblocker.pointee.step, UInt32(truncatingIfNeeded: frameCount))
  storeSentEvents(reblocker)
  reblocker.pointee.taken &+= UInt64(truncatingIfNeeded: frameCount)
}
