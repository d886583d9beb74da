// MixerState.swift: what the render thread knows of a mixer, and what it does. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import Synchronization

/// A gain on its way.
struct MovingGain: BitwiseCopyable {
  var value: Float
  var target: Float
  var step: Float
  var remainingFrames: Int
}

/// A mixer as its step sees it: for each input a gain to the left and one to the right.
struct MixerState: ~Copyable {
  let channelCount: Int
  /// How long a change takes, in frames.
  let rampFrames: Int
  /// Set by the main thread: left and right for each input, each a float's bit pattern.
  let targets: UnsafeMutablePointer<Atomic<UInt32>>
  let gains: UnsafeMutablePointer<MovingGain>

  deinit {
    targets.deinitialize(count: channelCount * 2)
    targets.deallocate()
    gains.deallocate()
  }
}

/// Adds the inputs into the two outputs that follow them. [render]
@_noLocks @c(outboard_mixer_step)
func mixerStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: UInt32
) {
  let mixer = context.assumingMemoryBound(to: MixerState.self)
  let channelCount = mixer.pointee.channelCount
  for side in 0 ..< 2 {
    let output = buffers[channelCount &+ side]
    crealtime_zero(output, frameCount)
    for channel in 0 ..< channelCount {
      add(mixer, channel &* 2 &+ side, buffers[channel], output, Int(frameCount))
    }
  }
}

@_noLocks
private func add(
  _ mixer: UnsafeMutablePointer<MixerState>, _ index: Int, _ input: UnsafeMutablePointer<Float>,
  _ output: UnsafeMutablePointer<Float>, _ frameCount: Int
) {
  let gain = mixer.pointee.gains + index
  let target = Float(bitPattern: mixer.pointee.targets[index].load(ordering: .relaxed))
  if target != gain.pointee.target {
    gain.pointee.target = target
    gain.pointee.remainingFrames = mixer.pointee.rampFrames
    gain.pointee.step = (target - gain.pointee.value) / Float(mixer.pointee.rampFrames)
  }
  var frame = 0
  while frame < frameCount, gain.pointee.remainingFrames > 0 {
    gain.pointee.remainingFrames &-= 1
    gain.pointee.value =
      gain.pointee.remainingFrames == 0 ? target : gain.pointee.value + gain.pointee.step
    output[frame] += input[frame] * gain.pointee.value
    frame &+= 1
  }
  let value = gain.pointee.value
  guard value != 0 else { return }
  while frame < frameCount {
    output[frame] += input[frame] * value
    frame &+= 1
  }
}
