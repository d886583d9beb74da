// MixStep.swift: mixes several signals, each with its gain. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

import CRealtime

/// The context of a mix step, in memory of the render sequence: one gain for each input.
struct MixState {
  let gains: UnsafePointer<Float>
  let inputCount: Int
}

/// Mixes `inputCount` inputs into the one output that follows them; silence if there are none.
/// [render]
@_noLocks @c(outboard_mix_step)
func mixStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let state = context.assumingMemoryBound(to: MixState.self)
  let inputCount = state.pointee.inputCount
  let gains = state.pointee.gains
  let output = buffers[inputCount]
  guard inputCount > 0 else {
    crealtime_zero(output, frameCount)
    return
  }
  // At unity the bits pass through unchanged, NaN payloads and all.
  if gains[0] == 1 {
    crealtime_copy(output, buffers[0], frameCount)
  } else {
    scale(output, buffers[0], gains[0], Int(frameCount))
  }
  for input in 1 ..< max(1, inputCount) {
    accumulate(output, buffers[input], gains[input], Int(frameCount))
  }
}

@_noLocks
private func scale(
  _ output: UnsafeMutablePointer<Float>, _ input: UnsafeMutablePointer<Float>, _ gain: Float,
  _ count: Int
) {
  for frame in 0 ..< count { output[frame] = input[frame] * gain }
}

@_noLocks
func accumulate(
  _ output: UnsafeMutablePointer<Float>, _ input: UnsafeMutablePointer<Float>, _ gain: Float,
  _ count: Int
) {
  for frame in 0 ..< count { output[frame] += input[frame] * gain }
}
