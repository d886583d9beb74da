// Gain.swift: level, balance, mute and polarity of a stereo signal. SPDX-License-Identifier: MIT
//
// One factor for each channel, gliding when a parameter changes. The balance turns one side down
// along a quarter of a cosine and leaves the other alone, so that the centre is exactly 1, and the
// module at its defaults passes every bit through. Mute and polarity glide through zero: no click.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let glideSeconds: Float = 0.005
/// The lowest gain that can be asked for; it means silence.
private let silentDecibels: Float = -90

// MARK: - Parameters, in the order of the manifest

private let gainDecibels = 0
private let balance = 1
private let mute = 2
private let invertLeft = 3
private let invertRight = 4
private let parameterCount = 5

// MARK: - State

private struct State {
  // Parameters as last set.
  var parameters = SIMD8<Float>()
  var isFresh = true
  // Running state: linear factors.
  var left: Smoother
  var right: Smoother

  init(sampleRateHz: Float) {
    left = Smoother(1, timeConstantSeconds: glideSeconds, sampleRateHz: sampleRateHz)
    right = left
  }
}

// MARK: - Helpers

/// The factors of both sides.
@_noLocks
private func factors(_ parameters: SIMD8<Float>) -> (left: Float, right: Float) {
  let decibels = parameters[gainDecibels]
  let isSilent = parameters[mute] >= 0.5 || decibels <= silentDecibels
  let gain = isSilent ? 0 : Decibels.amplitude(decibels)
  let side = min(max(parameters[balance], -1), 1)
  let quieter = abs(side) == 1 ? 0 : Float(realtime_cos(Double(abs(side)) * Double.pi / 2))
  return (
    gain * (side > 0 ? quieter : 1) * (parameters[invertLeft] >= 0.5 ? -1 : 1),
    gain * (side < 0 ? quieter : 1) * (parameters[invertRight] >= 0.5 ? -1 : 1)
  )
}

/// Multiplies one channel, in place or not.
@_noLocks
private func apply(
  _ smoother: inout Smoother, _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>,
  _ frameCount: Int
) {
  guard smoother.isMoving else {
    let gain = smoother.value
    for i in 0 ..< frameCount { output[i] = input[i] * gain }
    return
  }
  var gliding = smoother
  for i in 0 ..< frameCount { output[i] = input[i] * gliding.next() }
  smoother = gliding
}

// MARK: - Entry points

/// Makes one instance. [main]
@c public func create(_ sampleRateHz: Double, _ maximumFrameCount: UInt32)
  -> UnsafeMutableRawPointer?
{
  guard sampleRateHz > 0 else { return nil }
  let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
  state.initialize(to: State(sampleRateHz: Float(sampleRateHz)))
  return UnsafeMutableRawPointer(state)
}

/// Frees what `create` made. [main]
@c public func destroy(_ state: UnsafeMutableRawPointer) {
  state.assumingMemoryBound(to: State.self).deallocate()
}

/// Forgets where a glide was; the next block starts at its parameters. [render]
@_noLocks
@c public func reset(_ state: UnsafeMutableRawPointer) {
  state.assumingMemoryBound(to: State.self).pointee.isFresh = true
}

/// Renders one block. [render]
@_noLocks
@c public func process(
  _ state: UnsafeMutableRawPointer, _ inputs: UnsafePointer<UnsafePointer<Float>>,
  _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
  _ frameCount: UInt32
) {
  let state = state.assumingMemoryBound(to: State.self)
  var wanted = SIMD8<Float>()
  for p in 0 ..< parameterCount { wanted[p] = parameters[p] }
  if state.pointee.isFresh || wanted != state.pointee.parameters {
    let target = factors(wanted)
    state.pointee.left.move(to: target.left)
    state.pointee.right.move(to: target.right)
    if state.pointee.isFresh {
      state.pointee.left.jump(to: target.left)
      state.pointee.right.jump(to: target.right)
    }
    state.pointee.parameters = wanted
    state.pointee.isFresh = false
  }
  apply(&state.pointee.left, inputs[0], outputs[0], Int(frameCount))
  apply(&state.pointee.right, inputs[1], outputs[1], Int(frameCount))
}
