// DelayStep.swift: delays a signal to compensate for latency. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime

/// A ring of the delay's length, at a fixed address.
struct DelayState {
  let ring: UnsafeMutablePointer<Float>
  let frameCount: Int
  var position: Int
}

/// Outputs the input of `frameCount` frames ago. [render]
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

/// The owner of a `DelayState`.
///
/// The next render sequence reuses it if it delays the same source by the same length.
final class DelayLine {
  /// Identifies a delayed source and its delay, in frames.
  struct Key: Hashable {
    let source: Origin
    let frameCount: Int
  }

  /// A source, by a key that is the same in every graph.
  enum Origin: Hashable {
    case input(channel: Int)
    case node(ObjectIdentifier, channel: Int)
  }

  let pointer: UnsafeMutablePointer<DelayState>

  /// Creates a delay of `frameCount` frames, at least 1, filled with silence. [main]
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
