// MixStep.swift: several signals added up, each with its gain. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

import CRealtime

/// What a mix step knows: as many gains as it has inputs, in memory of the program.
struct MixState {
  let gains: UnsafePointer<Float>
  let inputCount: Int
}

/// Adds `inputCount` inputs into the one output that follows them; silence where there are none. [render]
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
