// DelayStep.swift: a signal held back until the others have caught up. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// A ring of exactly the delay's length, in memory of the program.
struct DelayState {
  let ring: UnsafeMutablePointer<Float>
  let frameCount: Int
  var position: Int
}

/// Gives out what came in `frameCount` frames ago. [render]
@_noLocks @c(outboard_delay_step)
func delayStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: DelayState.self)
  let input = buffers[0]
  let output = buffers[1]
  let ring = state.pointee.ring
  let length = state.pointee.frameCount
  var position = state.pointee.position
  var done = 0
  let count = Int(frameCount)
  while done < count {
    let run = min(count &- done, length &- position)
    let size = UInt32(truncatingIfNeeded: run)
    crealtime_copy(output + done, ring + position, size)
    crealtime_copy(ring + position, input + done, size)
    done &+= run
    position = position &+ run == length ? 0 : position &+ run
  }
  state.pointee.position = position
}
