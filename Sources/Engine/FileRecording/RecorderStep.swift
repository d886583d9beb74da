// RecorderStep.swift: what the render thread does for a recorder. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs; nor does the first step wait.

import CRealtime
import RealtimeKit

/// Hands its inputs to the writer; there are no outputs. [render]
@_noLocks @c(outboard_recorder_step)
func recorderStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let ring = context.assumingMemoryBound(to: FrameRing.self)
  _ = ring.pointee.write(buffers, frameCount: Int(frameCount))
}

/// The same where no sound card waits for the block: it is kept back until there is room. [render]
@_noLocks @c(outboard_recorder_offline_step)
func recorderOfflineStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let ring = context.assumingMemoryBound(to: FrameRing.self)
  // The writer always makes room: what it cannot write it drops.
  while !ring.pointee.hasRoom(for: Int(frameCount)) {
    crealtime_sleep_for(1_000_000)
  }
  _ = ring.pointee.write(buffers, frameCount: Int(frameCount))
}
