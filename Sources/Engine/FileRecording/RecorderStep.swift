// RecorderStep.swift: the render thread's part of a recorder. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs; nor does the first step wait.

import CRealtime
import RealtimeKit

/// Passes its inputs to the writer; there are no outputs. [render]
@_noLocks @c(outboard_recorder_step)
func recorderStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let ring = context.assumingMemoryBound(to: FrameRing.self)
  _ = ring.pointee.write(buffers, frameCount: Int(frameCount))
}

/// Passes its inputs without a device that waits for the block: waits for room in the ring.
/// [render]
@_noLocks @c(outboard_recorder_offline_step)
func recorderOfflineStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let ring = context.assumingMemoryBound(to: FrameRing.self)
  // The writer always makes room: it drops what it cannot write.
  while !ring.pointee.hasRoom(for: Int(frameCount)) {
    crealtime_sleep_for(1_000_000)
  }
  _ = ring.pointee.write(buffers, frameCount: Int(frameCount))
}
