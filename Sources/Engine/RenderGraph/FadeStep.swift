// FadeStep.swift: mixes several signals with gains that change. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime
import RealtimeKit
import Synchronization

/// The progress of the fades of a render sequence, which all share it; at a fixed address.
struct FadeProgress: ~Copyable {
  let curve: FadeCurve
  /// The time in which new delays fill before the connections to new nodes fade in, in frames.
  ///
  /// Otherwise a delay would start in the middle of a waveform, and a filter behind it would store
  /// that edge.
  let fillFrames: Int
  /// The time before the other fades begin, in frames: `fillFrames` plus the warm-up of new nodes.
  let holdFrames: Int
  /// Frames since the render sequence became active, up to the end of the fades.
  var position = 0
  /// Whether every gain has reached its target.
  let isOver = Atomic<Bool>(false)

  init(sampleRateHz: Double, fillFrames: Int, warmUpFrames: Int) {
    curve = FadeCurve(sampleRateHz: sampleRateHz)
    self.fillFrames = fillFrames
    holdFrames = fillFrames + warmUpFrames
  }

  /// Advances by a block that was rendered. [render]
  @_noLocks
  mutating func advance(_ frameCount: Int) {
    let end = holdFrames &+ curve.frameCount
    guard position < end else { return }
    position = position &+ frameCount
    // Pairs with the acquiring load in `CompiledGraph.hasFaded`.
    if position >= end { isOver.store(true, ordering: .releasing) }
  }
}

/// The context of a fade step: two gains for each input, in memory of the render sequence.
struct FadeState {
  let startGains: UnsafePointer<Float>
  let endGains: UnsafePointer<Float>
  let inputCount: Int
  /// Whether the fade waits for delays only, because its destination is a node that warms up.
  let isEarly: Bool
  let progress: UnsafePointer<FadeProgress>
}

/// Mixes `inputCount` inputs into the one output that follows them. [render]
@_noLocks @c(outboard_fade_step)
func fadeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: FadeState.self)
  let output = buffers[state.pointee.inputCount]
  let progress = state.pointee.progress
  let count = Int(frameCount)
  // The frames of this block before the fade, and before its end.
  let holdFrames =
    state.pointee.isEarly ? progress.pointee.fillFrames : progress.pointee.holdFrames
  let done = progress.pointee.position &- holdFrames
  let before = min(count, max(0, 0 &- done))
  let within = min(count, max(0, progress.pointee.curve.frameCount &- done))
  let curve = progress.pointee.curve.gains + max(0, done)
  crealtime_zero(output, frameCount)
  for input in 0 ..< state.pointee.inputCount {
    let samples = buffers[input]
    let start = state.pointee.startGains[input]
    let end = state.pointee.endGains[input]
    guard start != end else {
      accumulate(output, samples, start, count)
      continue
    }
    accumulate(output, samples, start, before)
    for frame in before ..< max(before, within) {
      output[frame] += samples[frame] * (start + (end - start) * curve[frame &- before])
    }
    let rest = max(before, within)
    accumulate(output + rest, samples + rest, end, count &- rest)
  }
}
