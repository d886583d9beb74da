// Echo.swift: rhythmic echoes that duck under the input. SPDX-License-Identifier: MIT
//
// Up to eight taps read one history, each with a time, a level and a pan position. The signal at the end of
// the rhythm is fed back through a low cut, a high cut and a soft limiter, so that the rhythm repeats. A new
// rhythm is crossfaded with the old one, without a change of pitch or a click.

import ModuleABI
import ModuleKit

typealias Exported = Echo

// MARK: - Constants

private let smoothingSeconds: Float = 0.02
private let fadeSeconds = 0.05
private let duckAttackSeconds = 0.01
/// Levels below this are not measured: -120 dB.
private let quietest: Float = 1e-6

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let timing = 0, time = 1, tempo = 2, division = 3, taps = 4, pattern = 5, slope = 6
  static let panning = 7, width = 8, feedback = 9, lowCut = 10, highCut = 11, duck = 12
  static let duckThreshold = 13, duckRelease = 14, mix = 15
}

// MARK: - State

/// The state of an instance.
struct Echo: AudioModule {
  // Parameters as last set.
  var feedback: Smoother  // ratio
  var mix: MixControl
  var duck: Smoother  // dB at most
  var duckThreshold: Smoother  // dB
  var settings = LayoutSettings()
  // Coefficients derived from them.
  var lowCut: Smoother  // of a one-pole filter, ratio
  var highCut: Smoother  // of a one-pole filter, ratio
  var duckRelease = 0.0
  var wanted = Layout()
  var isPending = false  // `wanted` waits until the fade before has ended
  // Running state.
  var layout = Layout()
  var old = Layout()
  var fade = 0  // frames until the end of the crossfade
  var history: DelayHistory
  var low = SIMD2<Float>.zero  // the low-pass state of the low cut
  var high = SIMD2<Float>.zero  // the state of the high cut
  var ducked = EnvelopeFollower()  // dB
  var needsReset = true  // no block since create or reset
  let duckAttack: Double
  let fadeLength: Int  // frames
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    feedback = smoother
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    duck = smoother
    duckThreshold = smoother
    lowCut = smoother
    highCut = smoother
    history = DelayHistory(maximumDelay: Int(maximumCycleSeconds * sampleRateHz) + 1)
    duckAttack = EnvelopeFollower.coefficient(
      timeConstantSeconds: duckAttackSeconds, sampleRateHz: sampleRateHz)
    fadeLength = max(1, Int(fadeSeconds * sampleRateHz))
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Parameters to layouts

/// Quarter notes in each division, as the manifest numbers them.
@_noLocks
private func beats(_ division: Float) -> Double {
  let beats = SIMD16<Double>(
    0.125, 1.0 / 6, 0.25, 0.375, 1.0 / 3, 0.5, 0.75, 2.0 / 3, 1, 1.5, 2, 4, 4, 4, 4, 4)
  return beats[min(max(Int(division + 0.5), 0), 11)]
}

@_noLocks
private func settings(_ parameters: UnsafePointer<Float>) -> LayoutSettings {
  let isTempo = parameters[Parameter.timing] >= 0.5
  let beatSeconds = 60 / Double(max(parameters[Parameter.tempo], 1))
  return LayoutSettings(
    stepSeconds: isTempo
      ? beatSeconds * beats(parameters[Parameter.division])
      : Double(parameters[Parameter.time]) * 0.001,
    count: min(max(Int(parameters[Parameter.taps] + 0.5), 1), maximumTaps),
    rhythm: Rhythm(rawValue: Int(parameters[Parameter.pattern] + 0.5)) ?? .even,
    panning: Panning(rawValue: Int(parameters[Parameter.panning] + 0.5)) ?? .none,
    slopeDecibels: parameters[Parameter.slope], width: parameters[Parameter.width] * 0.01)
}

// MARK: - Life

extension Echo {
  /// Frees the memory. [main]
  func free() {
    history.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    history.clear()
    low = .zero
    high = .zero
    ducked = EnvelopeFollower()
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Echo, _ parameters: UnsafePointer<Float>) {
  let rate = state.sampleRateHz
  state.feedback.move(to: parameters[Parameter.feedback] * 0.01)
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.duck.move(to: parameters[Parameter.duck])
  state.duckThreshold.move(to: parameters[Parameter.duckThreshold])
  state.lowCut.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.lowCut]), sampleRateHz: rate))
  state.highCut.move(
    to: OnePole.coefficient(cutoffHz: Double(parameters[Parameter.highCut]), sampleRateHz: rate))
  state.duckRelease = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(parameters[Parameter.duckRelease]) * 0.001, sampleRateHz: rate)
  let wanted = settings(parameters)
  if state.needsReset || wanted != state.settings {
    state.settings = wanted
    state.wanted = Layout(wanted, sampleRateHz: rate)
    state.isPending = true
  }
  guard state.needsReset else { return }
  state.needsReset = false
  state.feedback.finish()
  state.mix.finish()
  state.duck.finish()
  state.duckThreshold.finish()
  state.lowCut.finish()
  state.highCut.finish()
  state.layout = state.wanted
  state.isPending = false
  state.fade = 0
}

/// Returns the output of the taps, and the feedback signal.
@_noLocks
@inline(__always)
private func echoes(_ state: inout Echo) -> (echoed: SIMD2<Float>, back: SIMD2<Float>) {
  if state.isPending, state.fade == 0 {
    state.old = state.layout
    state.layout = state.wanted
    state.isPending = false
    state.fade = state.fadeLength
  }
  var echoed = state.layout.output(state.history)
  var back = state.history.read(age: state.layout.cycleDelay)
  if state.fade > 0 {
    let progress = Float(state.fade) / Float(state.fadeLength)
    echoed += (state.old.output(state.history) - echoed) * progress
    back += (state.history.read(age: state.old.cycleDelay) - back) * progress
    state.fade -= 1
  }
  return (echoed, back)
}

/// Returns the reduction of the echoes: by the level of the input above the threshold, at most `duck`.
@_noLocks
@inline(__always)
private func duckingGain(_ state: inout Echo, _ dry: SIMD2<Float>) -> Float {
  let maximumDucking = state.duck.next()
  let threshold = state.duckThreshold.next()
  guard maximumDucking > 0 else {
    state.ducked = EnvelopeFollower()
    return 1
  }
  let level = Decibels.fastDecibels(max(max(abs(dry.x), abs(dry.y)), quietest))
  let reduction = min(max(level - threshold, 0), maximumDucking)
  let followed = state.ducked.follow(
    reduction, attack: state.duckAttack, release: state.duckRelease)
  return Decibels.fastAmplitude(-min(followed, maximumDucking))
}

extension Echo {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      let (echoed, back) = echoes(&state)

      state.low = SampleGuard.flushed(state.low + (back - state.low) * state.lowCut.next())
      state.high = SampleGuard.flushed(
        state.high + (back - state.low - state.high) * state.highCut.next())
      let limited = SIMD2(
        SampleGuard.softLimited(state.high.x), SampleGuard.softLimited(state.high.y))
      state.history.write(dry + limited * state.feedback.next())

      let wet = echoed * duckingGain(&state, dry)
      let mix = state.mix.next()
      stereo.output(dry: dry, wet: wet, gains: mix, at: frame)
    }
    self = state
  }
}
