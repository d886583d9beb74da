// FadeStep.swift: several signals added up, with gains that move. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime
import Synchronization

/// How far the fades of a program have come; one for all of them, at a fixed address.
struct FadeProgress: ~Copyable {
  let curve: FadeCurve
  /// Frames before what leads to new nodes fades in, in which new delays are filled: where one begins in the
  /// middle of a sound, nothing may remember that.
  let fillFrames: Int
  /// Frames before the other fades begin: those, and the time in which new nodes warm up.
  let holdFrames: Int
  /// Frames since the program was taken over, until the end is reached.
  var position = 0
  /// Whether every gain has arrived.
  let isOver = Atomic<Bool>(false)

  init(sampleRateHz: Double, fillFrames: Int, warmUpFrames: Int) {
    curve = FadeCurve(sampleRateHz: sampleRateHz)
    self.fillFrames = fillFrames
    holdFrames = fillFrames + warmUpFrames
  }

  /// Goes on by a block that has been rendered. [render]
  @_noLocks
  mutating func advance(_ frameCount: Int) {
    let end = holdFrames &+ curve.frameCount
    guard position < end else { return }
    position = position &+ frameCount
    // Pairs with the acquiring load in `CompiledGraph.hasFaded`.
    if position >= end { isOver.store(true, ordering: .releasing) }
  }
}

/// What a fade step knows: two gains for each of its inputs, in memory of the program.
struct FadeState {
  let startGains: UnsafePointer<Float>
  let endGains: UnsafePointer<Float>
  let inputCount: Int
  /// Whether it waits for delays alone, as what it leads to warms up.
  let isEarly: Bool
  let progress: UnsafePointer<FadeProgress>
}

/// Adds `inputCount` inputs into the one output that follows them. [render]
@_noLocks @c(outboard_fade_step)
func fadeStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: FadeState.self)
  let output = buffers[state.pointee.inputCount]
  let progress = state.pointee.progress
  let count = Int(frameCount)
  // Frames of this block before the fade, and before its end.
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
