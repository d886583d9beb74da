// PipeOutputState.swift: what a card's run writes to standard output, on its way there. SPDX-License-Identifier: MIT
//
// The second half is a run file: nothing there allocates, frees, locks, waits, throws or logs.

import CRealtime
import RealtimeKit
import Synchronization

/// Sound on its way from the graph to a stream, at a fixed address.
///
/// The audio thread puts blocks into a ring, one other thread takes them out and may wait for the pipe as long
/// as it likes: what finds no room is left out, from a fade to a fade.
struct PipeOutputState: ~Copyable {
  let channelCount: Int
  let ring: UnsafeMutablePointer<FrameRing>
  /// A copy of the block at an edge, to be faded.
  let edge: PlanarBuffer
  /// Frames that were left out.
  let lostFrames = Atomic<Int>(0)
  /// Gaps that they lie in.
  let gapCount = Atomic<Int>(0)
  /// Since when blocks find no room, in nanoseconds; 0 while they do.
  let fullSince = Atomic<UInt64>(0)
  /// Whether nobody takes anything any more.
  let isAbandoned = Atomic<Bool>(false)
  /// The audio thread's own: whether blocks are left out.
  var isFull = false

  /// The length of audio that is kept for a stalled pipe, in seconds.
  static let patienceSeconds = 2.0

  /// Takes all memory. [main]
  init(channelCount: Int, sampleRateHz: Double, blockFrames: Int) {
    self.channelCount = channelCount
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(
        channelCount: channelCount,
        frameCount: max(Int(Self.patienceSeconds * sampleRateHz), 8 * blockFrames)))
    edge = PlanarBuffer(channelCount: channelCount, frameCapacity: blockFrames)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }
}

/// Hands a block over, or leaves it out, at a moment of CLOCK_MONOTONIC, in ns. [render]
@_noLocks
func drainBlock(
  _ drain: UnsafeMutablePointer<PipeOutputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: UInt64
) {
  guard !drain.pointee.isAbandoned.load(ordering: .relaxed) else { return }
  let ring = drain.pointee.ring
  let free = ring.pointee.capacity &- ring.pointee.heldFrameCount
  if drain.pointee.isFull {
    // Half of it at once: one long gap is better than many short ones.
    guard free >= ring.pointee.capacity / 2 else {
      drain.pointee.lostFrames.add(frameCount, ordering: .relaxed)
      return
    }
    drain.pointee.isFull = false
    drain.pointee.fullSince.store(0, ordering: .relaxed)
    writeEdge(drain, rows, frameCount, up: true)
  } else if free >= 2 &* frameCount {
    _ = ring.pointee.write(rows, frameCount: frameCount)
  } else {
    drain.pointee.isFull = true
    drain.pointee.gapCount.add(1, ordering: .relaxed)
    drain.pointee.fullSince.store(max(1, now), ordering: .relaxed)
    writeEdge(drain, rows, frameCount, up: false)
  }
}

/// Puts a block into the ring whose beginning, or end, is faded.
@_noLocks
private func writeEdge(
  _ drain: UnsafeMutablePointer<PipeOutputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, up: Bool
) {
  for channel in 0 ..< drain.pointee.channelCount {
    crealtime_copy(
      drain.pointee.edge[channel], rows[channel], UInt32(truncatingIfNeeded: frameCount))
  }
  let length = min(frameCount, edgeFrames)
  rampEdge(
    drain.pointee.edge.channels, drain.pointee.channelCount, from: up ? 0 : frameCount &- length,
    to: up ? length : frameCount, up: up)
  _ = drain.pointee.ring.pointee.write(drain.pointee.edge.channels, frameCount: frameCount)
}
