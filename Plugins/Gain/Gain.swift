// Gain.swift: level, balance, mute and polarity of a stereo signal. SPDX-License-Identifier: MIT
//
// One factor per channel, with a ramp when a parameter changes. The balance attenuates one side along a
// quarter of a cosine and leaves the other unchanged, so that the centre is exactly 1, and the module outputs
// exactly its input by default. Mute and polarity ramp through zero, without a click.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let glideSeconds: Float = 0.005
/// The lowest gain; it means silence.
private let silentDecibels: Float = -90

// MARK: - Parameters, in the order of the manifest

private let gainDecibels = 0
private let balance = 1
private let mute = 2
private let invertLeft = 3
private let invertRight = 4
private let parameterCount = 5

// MARK: - State

struct Gain: AudioModule {
  // Parameters as last set.
  var parameters = SIMD8<Float>()
  var needsReset = true
  // Running state: linear factors.
  var left: Smoother
  var right: Smoother

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    left = Smoother(1, timeConstantSeconds: glideSeconds, sampleRateHz: Float(sampleRateHz))
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

// MARK: - Life

/// The struct that `Exports.swift` exports.
typealias Exported = Gain

extension Gain {
  /// Stops ramps; the next block starts at its parameters. [render]
  @_noLocks
  mutating func reset() { needsReset = true }
}

// MARK: - Sound

extension Gain {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (inputs, outputs) = (block.inputs, block.outputs)
    var wanted = SIMD8<Float>()
    for p in 0 ..< parameterCount { wanted[p] = block.parameters[p] }
    if needsReset || wanted != parameters {
      let target = factors(wanted)
      left.move(to: target.left)
      right.move(to: target.right)
      if needsReset {
        left.jump(to: target.left)
        right.jump(to: target.right)
      }
      parameters = wanted
      needsReset = false
    }
    apply(&left, inputs[0], outputs[0], block.frameCount)
    apply(&right, inputs[1], outputs[1], block.frameCount)
  }
}
