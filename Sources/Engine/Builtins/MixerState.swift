// MixerState.swift: the render thread's state of a mixer, and its step. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import CRealtime
import Synchronization

/// A gain with its ramp.
struct SmoothedGain: BitwiseCopyable {
  var value: Float
  var target: Float
  var step: Float
  var remainingFrames: Int
}

/// A mixer for its step: each input has a gain to the left and one to the right.
struct MixerState: ~Copyable {
  let channelCount: Int
  /// The length of a ramp, in frames.
  let rampFrames: Int
  /// Gain in dB, pan and mute for each channel, each a float's bit pattern.
  let settings: UnsafeMutablePointer<Atomic<UInt32>>
  /// The target gains: left and right for each input, as the bits of a float.
  let targets: UnsafeMutablePointer<Atomic<UInt32>>
  let gains: UnsafeMutablePointer<SmoothedGain>

  /// At and below this gain, in dB, a channel is off.
  static var silenceDecibels: Float { @_noLocks get { -90 } }
  /// The number of parameters per channel: gain, pan, mute.
  static var perChannel: Int { @_noLocks get { 3 } }
  /// The duration of a stair of a ramp, in frames.
  static var valueFrames: Int { @_noLocks get { 32 } }

  deinit {
    settings.deinitialize(count: channelCount * Self.perChannel)
    settings.deallocate()
    targets.deinitialize(count: channelCount * 2)
    targets.deallocate()
    gains.deallocate()
  }
}

extension MixerState {
  /// Computes the target gains of a channel. [any]
  @_noLocks
  func aim(_ channel: Int) {
    let first = channel &* Self.perChannel
    let decibels = setting(first)
    let pan = setting(first &+ 1)
    let isSilent = setting(first &+ 2) > 0.5 || decibels <= Self.silenceDecibels
    let gain = isSilent ? 0 : crealtime_pow(10, decibels / 20)
    // Sines on both sides, not a sine and a cosine: so the centre is exactly the same, and the ends
    // are exact, because the cosine of a quarter turn is not exactly 0 in floating point.
    let left = gain * crealtime_sin((1 - pan) * .pi / 4)
    let right = gain * crealtime_sin((1 + pan) * .pi / 4)
    targets[channel &* 2].store(left.bitPattern, ordering: .relaxed)
    targets[channel &* 2 &+ 1].store(right.bitPattern, ordering: .relaxed)
  }

  @_noLocks
  private func setting(_ index: Int) -> Float {
    Float(bitPattern: settings[index].load(ordering: .relaxed))
  }
}

/// Sets a parameter for the next frames.
///
/// A stair of a ramp is reached when the next one arrives, so that gains move without steps.
/// [render]
@_noLocks @c(outboard_mixer_parameter)
func setMixerParameter(
  _ context: UnsafeMutableRawPointer, _ index: UInt32, _ value: Float, _ isJump: Bool
) {
  let mixer = context.assumingMemoryBound(to: MixerState.self)
  let index = Int(index)
  let channel = index / MixerState.perChannel
  guard channel < mixer.pointee.channelCount else { return }
  mixer.pointee.settings[index].store(value.bitPattern, ordering: .relaxed)
  mixer.pointee.aim(channel)
  // The step starts the ramp of a jump.
  guard !isJump else { return }
  for side in 0 ..< 2 {
    let index = channel &* 2 &+ side
    let gain = mixer.pointee.gains + index
    let target = Float(bitPattern: mixer.pointee.targets[index].load(ordering: .relaxed))
    guard target != gain.pointee.target else { continue }
    gain.pointee.target = target
    // The rest of a ramp leads to the current value.
    gain.pointee.remainingFrames = max(gain.pointee.remainingFrames, MixerState.valueFrames)
    gain.pointee.step =
      (target - gain.pointee.value) / Float(gain.pointee.remainingFrames)
  }
}

/// Mixes the inputs into the two outputs that follow them. [render]
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
