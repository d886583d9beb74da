// Phaser.swift: sweeping notches. SPDX-License-Identifier: MIT
//
// Up to twelve equal first-order all-passes in series, whose corner sweeps between two frequencies on a
// logarithmic axis. Each is a trapezoidal one-pole filter (V. Zavalishin, The Art of VA Filter Design, 2012),
// whose stored energy no modulation can raise. With A the response of the series and g the feedback, the wet
// signal is (1 + g) A / (1 - g A): scaled so that an equal mix with the dry signal cancels wherever A is -1,
// for any feedback. Both together are scaled so that the mean power is constant (ResonanceLevel.swift), and
// the feedback is limited, so that a signal at a resonance does not clip.
//
// The feedback has no delay. The series is linear, so one division gives the feedback signal: from the output
// for the input alone, found stage by stage, and the part of a frame that passes directly.

import ModuleABI
import ModuleKit

typealias Exported = Phaser

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let fadeSeconds = 0.005  // out and in again when the number of stages changes
private let maximumStages = 12
/// Frames between two exact corner frequencies, with linear interpolation.
private let stretch = 8

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let stages = 0, rate = 1, lowest = 2, highest = 3, feedback = 4, phase = 5, mix = 6
}

// MARK: - State

/// The state of an instance.
struct Phaser: AudioModule {
  // Parameters with their ramps.
  var lowest: Smoother  // octaves above 1 Hz
  var highest: Smoother  // octaves above 1 Hz
  var feedback: Smoother  // ratio
  var level: Smoother  // of the dry and the wet signal, ratio
  var rightAhead: Smoother  // turns
  var mix: MixControl
  var stages = 4
  var nextStages = 4
  // Running state.
  var oscillator: LowFrequencyOscillator
  var coefficient = SIMD2<Float>.zero  // of every stage, for each side
  var step = SIMD2<Float>.zero  // the change per frame
  var frame = 0  // within the stretch
  var memories: InlineArray<12, SIMD2<Float>>
  var fade: Int  // frames from silence, 0 to fadeLength
  var needsReset = true  // no block since create or reset
  let fadeLength: Int  // frames
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    let smoother = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    // These advance once a stretch.
    let slow = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate / Float(stretch))
    lowest = slow
    highest = slow
    rightAhead = slow
    feedback = smoother
    level = smoother
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
    memories = InlineArray(repeating: .zero)
    fadeLength = max(1, Int(fadeSeconds * sampleRateHz))
    fade = fadeLength
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Phaser {
  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    clear(&self)
    oscillator.reset()
    needsReset = true
  }
}

@_noLocks
private func clear(_ state: inout Phaser) {
  for stage in 0 ..< maximumStages { state.memories[stage] = .zero }
}

// MARK: - The sweep

/// Returns the direct part of a stage, -1 to 1, with its corner in octaves above 1 Hz.
@_noLocks
private func coefficient(octaves: Double, sampleRateHz: Double) -> Float {
  let cornerHz = min(realtime_pow(2, octaves), 0.45 * sampleRateHz)
  let tangent = realtime_tan(Double.pi * cornerHz / sampleRateHz)
  return Float((tangent - 1) / (tangent + 1))
}

/// The exact coefficients of both sides, now.
@_noLocks
private func coefficients(_ state: Phaser) -> SIMD2<Float> {
  let middle = (Double(state.lowest.value) + Double(state.highest.value)) * 0.5
  let half = (Double(state.highest.value) - Double(state.lowest.value)) * 0.5
  let octaves = middle + half * state.oscillator.sines(ahead: Double(state.rightAhead.value))
  return SIMD2(
    coefficient(octaves: octaves.x, sampleRateHz: state.sampleRateHz),
    coefficient(octaves: octaves.y, sampleRateHz: state.sampleRateHz))
}

/// Computes the corner at the end of the next stretch.
@_noLocks
@inline(never)
private func startStretch(_ state: inout Phaser) {
  _ = state.lowest.next()
  _ = state.highest.next()
  _ = state.rightAhead.next()
  state.oscillator.advance(frames: stretch)
  state.step = (coefficients(state) - state.coefficient) / Float(stretch)
}

// MARK: - Rendering

/// Octaves above 1 Hz.
@_noLocks
private func octaves(_ hertz: Float) -> Float { Decibels.fastDecibels(hertz) * 0.166_096_4 }

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Phaser, _ parameters: UnsafePointer<Float>) {
  state.nextStages = min(max(Int(parameters[Parameter.stages] + 0.5), 1), maximumStages)
  state.lowest.move(to: octaves(parameters[Parameter.lowest]))
  state.highest.move(to: octaves(parameters[Parameter.highest]))
  let feedback = parameters[Parameter.feedback] * 0.01
  state.feedback.move(to: feedback)
  state.rightAhead.move(to: parameters[Parameter.phase] / 360)
  let mix = parameters[Parameter.mix] * 0.01
  state.mix.move(to: mix)
  state.level.move(
    to: ResonanceLevel.factor(gains: MixControl.gains(mix: mix), feedback: feedback))
  state.oscillator.set(frequencyHz: parameters[Parameter.rate])
  guard state.needsReset else { return }
  state.needsReset = false
  state.stages = state.nextStages
  state.fade = state.fadeLength
  state.frame = 0
  state.lowest.finish()
  state.highest.finish()
  state.feedback.finish()
  state.level.finish()
  state.rightAhead.finish()
  state.mix.finish()
  state.coefficient = coefficients(state)
}

/// Processes one frame with feedback.
@_noLocks
@inline(__always)
private func phased(_ state: inout Phaser, _ dry: SIMD2<Float>, feedback: Float) -> SIMD2<Float> {
  let a = state.coefficient
  let kept = 1 - a
  // The output of each stage for the input alone, and its factor for the feedback.
  var outputs = InlineArray<12, SIMD2<Float>>(repeating: .zero)
  var gains = InlineArray<12, SIMD2<Float>>(repeating: .zero)
  var sound = dry
  var mix = SIMD2<Float>(repeating: 1)
  for stage in 0 ..< state.stages {
    outputs[stage] = sound
    gains[stage] = mix
    sound = a * sound + kept * state.memories[stage]
    mix *= a
  }
  let added = SampleGuard.halfLimited(sound / (1 - mix * feedback)) * feedback
  let out = sound + mix * added
  for stage in 0 ..< state.stages {
    let memory = state.memories[stage]
    let difference = outputs[stage] + gains[stage] * added - memory
    state.memories[stage] = SampleGuard.flushed(memory + (1 + a) * difference)
  }
  return out * (1 + feedback)
}

extension Phaser {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      if state.frame == 0 { startStretch(&state) }
      state.frame = state.frame + 1 == stretch ? 0 : state.frame + 1

      // A change of the number of stages fades the wet signal out, then in again.
      if state.stages != state.nextStages {
        if state.fade > 0 { state.fade -= 1 }
        if state.fade == 0 {
          state.stages = state.nextStages
          clear(&state)
        }
      } else if state.fade < state.fadeLength {
        state.fade += 1
      }

      let wet = phased(&state, dry, feedback: state.feedback.next())
      state.coefficient += state.step
      var gains = state.mix.next() * state.level.next()
      if state.fade < state.fadeLength {
        let mix = Float(state.fade) / Float(state.fadeLength)
        gains = SIMD2(1, 0) + (gains - SIMD2(1, 0)) * mix
      }
      stereo.output(dry: dry, wet: wet, gains: gains, at: frame)
    }
    self = state
  }
}
