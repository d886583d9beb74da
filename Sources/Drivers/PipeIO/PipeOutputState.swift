// PipeOutputState.swift: audio between a session and standard output. SPDX-License-Identifier: MIT
//
// The second half is real-time code: nothing there allocates, frees, locks, waits, throws or logs.

import CRealtime
import RealtimeKit
import Synchronization

/// Audio between the graph and an output stream, at a fixed address.
///
/// The audio thread writes blocks into a ring. Another thread reads them and may wait for the pipe
/// for any time. If the ring is full, blocks are dropped, with fades around the gap.
struct PipeOutputState: ~Copyable {
  let channelCount: Int
  let ring: UnsafeMutablePointer<FrameRing>
  /// A copy of the first or last block at a gap, to be faded.
  let edge: PlanarBuffer
  /// The number of frames that were dropped.
  let lostFrames = Atomic<Int>(0)
  /// The number of gaps.
  let gapCount = Atomic<Int>(0)
  /// Since when blocks are dropped, in nanoseconds; 0 if they are not.
  let fullSince = Atomic<UInt64>(0)
  /// Whether the reader has ended.
  let isAbandoned = Atomic<Bool>(false)
  /// Whether blocks are dropped; owned by the audio thread.
  var isFull = false

  /// The length of audio that is kept for a stalled pipe, in seconds.
  static let timeoutSeconds = 2.0

  /// Allocates all memory. [main]
  init(channelCount: Int, sampleRateHz: Double, blockFrames: Int) {
    self.channelCount = channelCount
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: FrameRing(
        channelCount: channelCount,
        frameCount: max(Int(Self.timeoutSeconds * sampleRateHz), 8 * blockFrames)))
    edge = PlanarBuffer(channelCount: channelCount, frameCapacity: blockFrames)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
  }
}

/// Writes a block, or drops it, at a time on CLOCK_MONOTONIC, in ns. [render]
@_noLocks
func writeOutputBlock(
  _ drain: UnsafeMutablePointer<PipeOutputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: UInt64
) {
  guard !drain.pointee.isAbandoned.load(ordering: .relaxed) else { return }
  let ring = drain.pointee.ring
  let free = ring.pointee.capacity &- ring.pointee.heldFrameCount
  if drain.pointee.isFull {
    // Waits for half of the ring: one long gap is better than many short ones.
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

/// Writes a block with a fade at its start or end.
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
