// Overdrive.swift: a saturating stage with eight times oversampling. SPDX-License-Identifier: MIT
//
// A low cut, a gain, a bias and the curve x / sqrt(1 + x²). Then the bias is removed, DC is blocked, and a
// low-pass sets the tone. More drive is not louder: the mean gain of speech and music at -23 LUFS is
// compensated. The curve creates unlimited harmonics. Aliasing is avoided in two ways: the curve runs at
// eight times the sample rate, and is averaged between frames with its antiderivative
// (SaturationCurve.swift).

import ModuleABI
import ModuleKit

typealias Exported = Overdrive

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let blockedHz = 8.0
// With a drive of d, speech and music at -23 LUFS are as loud after the curve and the filters as before with a level
// of 1.09 / d + 0.057. Measured, as it depends on their crest factors.
private let linearMakeup: Float = 1.09
private let limitedMakeup: Float = 0.057

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let drive = 0, asymmetry = 1, lowCut = 2, tone = 3, level = 4, mix = 5
}

// MARK: - State

/// The state of an instance.
struct Overdrive: AudioModule {
  // Parameters with their ramps.
  var drive: Smoother  // linear
  var bias: Smoother  // in units of the curve
  var lowCut: Smoother  // of a one-pole filter, ratio
  var tone: Smoother  // of a one-pole filter, ratio
  var level: Smoother  // linear
  var mix: MixControl
  // Parameters as last set.
  var parameters = SIMD8<Float>(repeating: -.infinity)
  // Running state.
  var rates = Oversampler(factor: 8)
  let driven: UnsafeMutablePointer<SIMD2<Float>>  // a run
  let biases: UnsafeMutablePointer<Float>  // a run
  var curve = SaturationCurve()
  var low = SIMD2<Float>.zero  // the low-pass state of the low cut
  var still = SIMD2<Float>.zero  // the direct current that is blocked
  var dark = SIMD2<Float>.zero  // the state of the tone filter
  var left: DelayLine
  var right: DelayLine
  var needsReset = true  // no block since create or reset
  let blocking: Float  // of a one-pole filter, ratio
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    drive = smoother
    bias = smoother
    lowCut = smoother
    tone = smoother
    level = smoother
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    driven = .allocate(capacity: Oversampler.maximumFrameCount)
    biases = .allocate(capacity: Oversampler.maximumFrameCount)
    let longest = rates.delayFrames + Oversampler.maximumFrameCount
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    blocking = OnePole.coefficient(cutoffHz: blockedHz, sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Overdrive {
  /// Frees the memory. [main]
  func free() {
    rates.free()
    driven.deallocate()
    biases.deallocate()
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    rates.clear()
    left.clear()
    right.clear()
    low = .zero
    still = .zero
    dark = .zero
    needsReset = true
  }

  /// The latency of the filters, in frames, the same for all parameters. [main]
  var latencyFrames: Int { rates.delayFrames }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Overdrive, _ parameters: UnsafePointer<Float>) {
  var wanted = SIMD8<Float>(repeating: 0)
  for index in 0 ..< 6 { wanted[index] = parameters[index] }
  guard state.needsReset || wanted != state.parameters else { return }
  state.parameters = wanted
  let rate = state.sampleRateHz
  state.drive.move(to: Decibels.amplitude(wanted[Parameter.drive]))
  state.bias.move(to: wanted[Parameter.asymmetry] * 0.01)
  state.lowCut.move(
    to: OnePole.coefficient(cutoffHz: Double(wanted[Parameter.lowCut]), sampleRateHz: rate))
  state.tone.move(
    to: OnePole.coefficient(cutoffHz: Double(wanted[Parameter.tone]), sampleRateHz: rate))
  state.level.move(
    to: Decibels.amplitude(wanted[Parameter.level])
      * (linearMakeup / Decibels.amplitude(wanted[Parameter.drive]) + limitedMakeup))
  // The saturated signal is correlated with the dry one.
  state.mix.move(to: wanted[Parameter.mix] * 0.01, isCorrelated: true)
  guard state.needsReset else { return }
  state.needsReset = false
  state.drive.finish()
  state.bias.finish()
  state.lowCut.finish()
  state.tone.finish()
  state.level.finish()
  state.mix.finish()
  state.curve = SaturationCurve(bias: state.bias.value)
}

/// Processes a run of frames before the curve.
@_noLocks
private func saturationInput(
  _ state: inout Overdrive, _ stereo: StereoBlock, from first: Int, frameCount: Int
) {
  for frame in 0 ..< frameCount {
    let input = stereo.input(at: first + frame)
    state.left.write(input.x)
    state.right.write(input.y)
    state.low = SampleGuard.flushed(state.low + (input - state.low) * state.lowCut.next())
    state.driven[frame] = (input - state.low) * state.drive.next()
    state.biases[frame] = state.bias.next()
  }
}

/// Processes a run of frames after the curve.
@_noLocks
private func finish(
  _ state: inout Overdrive, _ stereo: StereoBlock, from first: Int, frameCount: Int
) {
  for frame in 0 ..< frameCount {
    let bent = state.driven[frame]
    state.still = SampleGuard.flushed(state.still + (bent - state.still) * state.blocking)
    let centred = bent - state.still
    state.dark = SampleGuard.flushed(state.dark + (centred - state.dark) * state.tone.next())
    let wet = state.dark * state.level.next()

    // The lines already contain the whole run.
    let age = state.rates.delayFrames + frameCount - 1 - frame
    let dry = SIMD2(state.left.read(delay: age), state.right.read(delay: age))
    let mix = state.mix.next()
    stereo.output(dry: dry, wet: wet, gains: mix, at: first + frame)
  }
}

extension Overdrive {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var done = 0
    while done < block.frameCount {
      let count = min(Oversampler.maximumFrameCount, block.frameCount - done)
      saturationInput(&state, stereo, from: done, frameCount: count)
      let fine = state.rates.up(state.driven, frameCount: count)
      for frame in 0 ..< 8 * count {
        fine[frame] = state.curve.next(fine[frame], bias: state.biases[frame >> 3])
      }
      state.rates.down(to: state.driven, frameCount: count)
      finish(&state, stereo, from: done, frameCount: count)
      done += count
    }
    self = state
  }
}
