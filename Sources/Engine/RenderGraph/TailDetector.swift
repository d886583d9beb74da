// TailDetector.swift: measures the tail of a removed node. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

/// The context of a tail step, at a fixed address.
struct TailState: ~Copyable {
  let channelCount: Int
  /// The highest peak since it was last taken, as the bits of a `Float` that is not negative.
  let peak = Atomic<UInt32>(0)
}

/// Measures the inputs of the step. [render]
@_noLocks @c(outboard_tail_step)
func tailStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: TailState.self)
  var peak: Float = 0
  for channel in 0 ..< state.pointee.channelCount {
    peak = max(peak, PeakMeter.peak(buffers[channel], Int(frameCount)))
  }
  let known = Float(bitPattern: state.pointee.peak.load(ordering: .relaxed))
  if peak > known { state.pointee.peak.store(peak.bitPattern, ordering: .relaxed) }
}

/// The owner of a `TailState`. [main]
final class TailDetector {
  let pointer: UnsafeMutablePointer<TailState>

  init(channelCount: Int) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: TailState(channelCount: channelCount))
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// Returns the highest peak since the last call, linear.
  func take() -> Float { Float(bitPattern: pointer.pointee.peak.exchange(0, ordering: .relaxed)) }
}
