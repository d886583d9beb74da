// PlateReverb.swift: a plate reverb. SPDX-License-Identifier: MIT
//
// After J. Dattorro, Effect Design, Part 1: Reverberator and Other Filters, J. Audio Eng. Soc. 45 (9), 1997.
// The sum of both sides passes the pre-delay, a low-pass and four all-passes, and enters both halves of a tank
// (Tank.swift). Decay and damping are in seconds and hertz, and the wet level does not depend on them.

import ModuleABI
import ModuleKit

typealias Exported = PlateReverb

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let preDelayGlideSeconds: Float = 0.06
private let maximumPreDelaySeconds = 0.25
private let maximumModulationMilliseconds: Float = 0.54  // the paper's 16 frames
private let modulationHz: Float = 1
/// Frames between two exact values of slow modulation.
private let stepFrames = 32
/// The gain that makes speech and music as loud wet as dry: they lose more to the damping than noise.
private let wetGain: Float = 1.19
private let firstInputDiffusion: Float = 0.75
private let secondInputDiffusion: Float = 0.625

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let mix = 0, preDelay = 1, bandwidth = 2, decay = 3, damping = 4, diffusion = 5
  static let modulation = 6, lowCut = 7, width = 8
}

// MARK: - State

/// The state of an instance.
struct PlateReverb: AudioModule {
  // Parameters with their ramps.
  var mix: MixControl
  var width: Smoother  // ratio
  var diffusion: Smoother  // ratio
  var sway: Smoother  // frames
  var preDelay: GlidingDelay  // frames
  // Coefficients derived from them.
  var lowCut: Smoother  // of a one-pole filter, ratio
  var bandwidth: Smoother  // of a one-pole filter, ratio
  var decay: Smoother  // ratio
  var pole: Smoother
  var firstDiffusion: Smoother  // ratio
  var secondDiffusion: Smoother  // ratio
  var fall: Smoother  // of taps, 1 / s; advances once a step of the oscillator
  var entry: Smoother  // level at which the tank is fed, ratio
  var decaySeconds: Float = -1
  var dampingHz: Float = -1
  // Running state.
  var low: Float = 0  // the low-pass state of the low cut
  var dark: Float = 0  // the state of the bandwidth filter
  var preDelayLine: DelayLine
  var first, second, third, fourth: AllPass
  var left, right: TankHalf
  var oscillator: InterpolatedSines
  var needsReset = true  // no block since create or reset
  var leftTaps, rightTaps: Taps
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    let smoother = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    width = smoother
    diffusion = smoother
    sway = smoother
    lowCut = smoother
    bandwidth = smoother
    decay = smoother
    pole = smoother
    firstDiffusion = smoother
    secondDiffusion = smoother
    fall = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate / Float(stepFrames))
    entry = smoother
    preDelay = GlidingDelay(1, timeConstantSeconds: preDelayGlideSeconds, sampleRateHz: rate)
    preDelayLine = DelayLine(maximumDelay: Int(maximumPreDelaySeconds * sampleRateHz) + 4)
    let scale = sampleRateHz / paperRateHz
    func allPass(_ length: Double) -> AllPass { AllPass(length: Int(length * scale + 0.5)) }
    first = allPass(142)
    second = allPass(107)
    third = allPass(379)
    fourth = allPass(277)
    let sway = Int(maximumModulationMilliseconds * 0.001 * rate) + 2
    left = TankHalf(SIMD4(672, 4_453, 1_800, 3_720), scale: scale, sway: sway)
    right = TankHalf(SIMD4(908, 4_217, 2_656, 3_163), scale: scale, sway: sway)
    leftTaps = Taps(
      longFar: SIMD2(266, 2_974), innerFar: 1_913, shortFar: 1_996, longNear: 1_990,
      innerNear: 187, shortNear: 1_066, scale: scale)
    rightTaps = Taps(
      longFar: SIMD2(353, 3_627), innerFar: 1_228, shortFar: 2_673, longNear: 2_111,
      innerNear: 335, shortNear: 121, scale: scale)
    oscillator = InterpolatedSines(stepFrames: stepFrames, sampleRateHz: sampleRateHz)
    oscillator.set(frequencyHz: modulationHz)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension PlateReverb {
  /// Frees the memory. [main]
  func free() {
    preDelayLine.free()
    first.free()
    second.free()
    third.free()
    fourth.free()
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    preDelayLine.clear()
    first.clear()
    second.clear()
    third.clear()
    fourth.clear()
    left.clear()
    right.clear()
    low = 0
    dark = 0
    oscillator.reset()
    needsReset = true
  }
}

// MARK: - Parameters to coefficients

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout PlateReverb, _ parameters: UnsafePointer<Float>) {
  let rate = state.sampleRateHz
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.width.move(to: parameters[Parameter.width] * 0.01)
  state.diffusion.move(to: parameters[Parameter.diffusion] * 0.01)
  let deepest = maximumModulationMilliseconds * 0.001 * Float(rate)
  state.sway.move(to: parameters[Parameter.modulation] * 0.01 * deepest)
  // One frame at least: the cubic needs a newer neighbour while it glides.
  state.preDelay.move(to: 1 + Int(Double(parameters[Parameter.preDelay]) * 0.001 * rate + 0.5))
  state.lowCut.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.lowCut]), sampleRateHz: rate))
  state.bandwidth.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.bandwidth]), sampleRateHz: rate))
  prepareTank(&state, parameters[Parameter.decay], parameters[Parameter.damping])
  guard state.needsReset else { return }
  state.needsReset = false
  state.mix.finish()
  state.width.finish()
  state.diffusion.finish()
  state.sway.finish()
  state.lowCut.finish()
  state.bandwidth.finish()
  state.decay.finish()
  state.pole.finish()
  state.firstDiffusion.finish()
  state.secondDiffusion.finish()
  state.fall.finish()
  setTaps(&state)
  state.entry.finish()
  state.preDelay.jump(to: state.preDelay.delay)
}

/// The costly part, done only when one of its parameters has changed.
@_noLocks
private func prepareTank(_ state: inout PlateReverb, _ decaySeconds: Float, _ dampingHz: Float) {
  guard decaySeconds != state.decaySeconds || dampingHz != state.dampingHz else { return }
  state.decaySeconds = decaySeconds
  state.dampingHz = dampingHz
  let decay = TankDesign.decay(seconds: Double(decaySeconds))
  let pole = TankDesign.pole(
    decay: decay, dampingHz: Double(dampingHz), sampleRateHz: state.sampleRateHz)
  state.decay.move(to: Float(decay))
  state.pole.move(to: Float(pole))
  let seconds = Double(decaySeconds)
  state.firstDiffusion.move(to: Float(TankDesign.firstDiffusion(seconds: seconds)))
  state.secondDiffusion.move(
    to: Float(TankDesign.secondDiffusion(decay: decay, seconds: seconds)))
  let fall = TankDesign.fall(seconds: seconds)
  state.fall.move(to: Float(fall))
  // The level is that of the taps that are glided to.
  var (left, right) = (state.leftTaps, state.rightTaps)
  left.set(fall: fall)
  right.set(fall: fall)
  let level = TankDesign.level(decay: decay, seconds: seconds, left, right)
  state.entry.move(to: wetGain / Float(level))
}

@_noLocks
private func setTaps(_ state: inout PlateReverb) {
  state.leftTaps.set(fall: Double(state.fall.value))
  state.rightTaps.set(fall: Double(state.fall.value))
}

// MARK: - Rendering

/// A one-pole low-pass over 1 to 4 frames.
@_noLocks
@inline(__always)
private func filtered(
  _ memory: inout Float, _ samples: SIMD4<Float>, _ coefficients: SIMD4<Float>, _ count: Int
) -> SIMD4<Float> {
  func next(_ frame: Int) -> Float {
    if frame < count {
      memory = SampleGuard.flushed(memory + (samples[frame] - memory) * coefficients[frame])
    }
    return memory
  }
  return SIMD4(next(0), next(1), next(2), next(3))
}

/// Returns the input of the tank: one channel, filtered, delayed and diffused.
@_noLocks
@inline(__always)
private func diffused(
  _ state: inout PlateReverb, _ dry: StereoFrames4, _ count: Int
) -> SIMD4<Float> {
  let sum = (dry.left + dry.right) * 0.5
  let low = filtered(&state.low, sum, state.lowCut.next(count), count)
  state.preDelayLine.put(SampleGuard.flushed(sum - low))
  let excess = state.preDelay.advance(count)
  let waited = state.preDelayLine.four(delay: state.preDelay.delay, excess: excess)
  state.preDelayLine.advance(count)
  let dark = filtered(&state.dark, waited, state.bandwidth.next(count), count)
  let diffusion = state.diffusion.next(count)
  let (early, late) = (firstInputDiffusion * diffusion, secondInputDiffusion * diffusion)
  var x = state.first.next(dark * state.entry.next(count), gain: early, count: count)
  x = state.second.next(x, gain: early, count: count)
  x = state.third.next(x, gain: late, count: count)
  return state.fourth.next(x, gain: late, count: count)
}

/// The next 1 to 4 frames through the tank.
@_noLocks
@inline(__always)
private func reverberated(
  _ state: inout PlateReverb, _ samples: SIMD4<Float>, _ count: Int
) -> StereoFrames4 {
  let tone = TankTone(
    decay: state.decay.next(count), pole: state.pole.next(count),
    firstDiffusion: state.firstDiffusion.next(count),
    secondDiffusion: state.secondDiffusion.next(count))
  if state.fall.isMoving, state.oscillator.framesLeft == stepFrames {
    _ = state.fall.next()
    setTaps(&state)
  }
  let sines = state.oscillator.next(ahead: 0.25, count: count)
  let depth = state.sway.next(count)
  let (toLeft, toRight) = (state.right.leaving(), state.left.leaving())
  state.left.put(
    samples + tone.decay * toLeft, tone, sway: SIMD4<Float>(sines.0) * depth, count: count)
  state.right.put(
    samples + tone.decay * toRight, tone, sway: SIMD4<Float>(sines.1) * depth, count: count)
  let output = StereoFrames4(
    left: state.leftTaps.output(far: state.right, near: state.left),
    right: state.rightTaps.output(far: state.left, near: state.right))
  state.left.advance(count)
  state.right.advance(count)
  return output
}

/// The next 1 to 4 frames.
@_noLocks
@inline(__always)
private func render(_ state: inout PlateReverb, _ stereo: StereoBlock, at frame: Int, _ count: Int)
{
  let dry = stereo.four(at: frame, count: count)
  let wet = reverberated(&state, diffused(&state, dry, count), count)
  stereo.output(
    dry: dry, wet: wet.narrowed(to: state.width.next(count)), gains: state.mix.next(count),
    at: frame, count: count)
}

extension PlateReverb {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var frame = 0
    while frame < block.frameCount {
      let count = min(min(4, block.frameCount - frame), state.oscillator.framesLeft)
      if count == 4 {
        render(&state, stereo, at: frame, 4)
      } else {
        render(&state, stereo, at: frame, count)
      }
      frame += count
    }
    self = state
  }
}
