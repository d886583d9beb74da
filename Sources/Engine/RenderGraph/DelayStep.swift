// DelayStep.swift: a signal held back until the others have caught up. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// A ring of exactly the delay's length, at a fixed address.
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

/// The owner of a `DelayState`, which goes on in the next program that holds back the same by as much.
final class DelayLine {
  /// What is held back, and by how many frames.
  struct Key: Hashable {
    let source: Origin
    let frameCount: Int
  }

  /// A source as it is known in every graph.
  enum Origin: Hashable {
    case input(channel: Int)
    case node(ObjectIdentifier, channel: Int)
  }

  let pointer: UnsafeMutablePointer<DelayState>

  /// A line of `frameCount` frames, at least 1, filled with silence. [main]
  init(frameCount: Int) {
    let ring = UnsafeMutablePointer<Float>.allocate(capacity: frameCount)
    ring.initialize(repeating: 0, count: frameCount)
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: DelayState(ring: ring, frameCount: frameCount, position: 0))
  }

  deinit {
    pointer.pointee.ring.deallocate()
    pointer.deallocate()
  }
}
