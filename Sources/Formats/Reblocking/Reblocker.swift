// Reblocker.swift: blocks of the lengths that a plugin can be given. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. BlockAdapter.swift makes
// and frees it. Sources/SDK/LV2Shim/reblock.c does the same for modules in other hosts, to the sample.

import CRealtime
import RealtimeKit
import Synchronization

/// How a host's block is cut that fits.
enum BlockSplitting {
  /// Not at all.
  case whole
  /// Into pieces of the unit.
  case units
  /// Into powers of two, the longest first.
  case powersOfTwo
}

/// Stands between a program and a node's step, and gives the step the blocks that it can have.
///
/// Blocks that fit are handed on at once, whole or in pieces. With the first that does not fit,
/// frames are collected until a block is full, and the last block is given out meanwhile: a block of
/// N frames can be rendered once its last frame has come in, and its first frame goes out at that
/// moment, so the delay is N - 1 frames, whatever the host's blocks are, and the least possible. It
/// is not left again, as that would be another gap in the sound.
struct Reblocker: ~Copyable {
  /// What is called, its buffers set anew for each call.
  let step: UnsafeMutablePointer<crealtime_step>
  /// Where the node takes events.
  let eventFunction: crealtime_event_function?
  let eventContext: UnsafeMutableRawPointer?
  /// The events of the node's last call, and those of the host's block.
  let stepEvents: UnsafeMutablePointer<EventQueue>?
  let sentEvents: UnsafeMutablePointer<EventQueue>?

  /// Frames of a block that is collected, or of a piece.
  let unit: Int
  let cut: BlockSplitting
  let inputCount: Int
  let outputCount: Int
  /// Whether frames are collected; the main thread reads it as part of the latency.
  let isCollecting: Atomic<Bool>
  /// Frames collected of the block to come.
  var filled = 0
  /// Frames that the node has been given: where its next block begins in the stream.
  var taken: UInt64 = 0
  /// A block, of which the inputs are collected and the outputs given out.
  let block: PlanarBuffer
  /// Places of a piece in the host's buffers, inputs first.
  let piece: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  /// Events on their way to the node, by the frame of the stream of inputs, and from it, by that of
  /// outputs.
  let arrivals: MessageRing
  let departures: MessageRing
  let eventBytes: UnsafeMutableRawPointer
  /// Events that found no room.
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
    if handOn(reblocker, buffers, total) {
      giveEvents(reblocker, from: start, total)
      return
    }
    reblocker.pointee.isCollecting.store(true, ordering: .relaxed)
  }
  collectAndGiveOut(reblocker, buffers, total)
  giveEvents(reblocker, from: start, total)
}

// MARK: - Blocks that fit

/// Hands a block on if it fits, and returns whether it does.
@_noLocks
private func handOn(
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

// MARK: - Blocks that do not

@_noLocks
private func collectAndGiveOut(
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
    // Frame `filled` of this block goes out with frame `filled + 1` of the last one, and the last
    // frame with the first of the block that it completes.
    giveOut(reblocker, buffers, from: done, isFull ? part &- 1 : part)
    done &+= part
    reblocker.pointee.filled = isFull ? 0 : filled &+ part
    if isFull {
      runStep(reblocker, UnsafePointer(reblocker.pointee.block.channels), unit)
      giveFirst(reblocker, buffers, at: done &- 1)
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
private func giveOut(
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
private func giveFirst(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, at frame: Int
) {
  let inputCount = reblocker.pointee.inputCount
  for row in inputCount ..< inputCount &+ reblocker.pointee.outputCount {
    buffers[row][frame] = reblocker.pointee.block[row][0]
  }
}

// MARK: - The step itself

/// Runs the node once, with the events of its block.
@_noLocks
private func runStep(
  _ reblocker: UnsafeMutablePointer<Reblocker>,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int
) {
  deliverEvents(reblocker, frameCount)
  reblocker.pointee.step.pointee.buffers = buffers
  crealtime_call_step(reblocker.pointee.step, UInt32(truncatingIfNeeded: frameCount))
  keepSentEvents(reblocker)
  reblocker.pointee.taken &+= UInt64(truncatingIfNeeded: frameCount)
}
