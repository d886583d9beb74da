// DeEsser.swift: attenuates sibilance, without latency. SPDX-License-Identifier: MIT
//
// A second-order Butterworth filter measures the signal above a frequency; a dynamic shelf attenuates it if it is too
// loud. With the gain g it is `(g s² + sqrt(2 g) s + 1) / (s² + sqrt(2) s + 1)`: its power is `(1 + g² w⁴) / (1 + w⁴)`,
// which falls from 1 to g². It is a sum of the filter's three outputs, so a gain of 1 gives exactly the input. A
// crossover would always change the phase. The detector is the Compressor's.

import ModuleABI
import ModuleKit

typealias Exported = DeEsser

private let smoothingSeconds: Float = 0.01
private let halfKneeDecibels: Float = 3
/// Attack and release of the whole signal's level, which the threshold is relative to in relative mode.
private let voiceAttackSeconds = 0.02
private let voiceReleaseSeconds = 1.0
/// Levels below this are not measured: -120 dB.
private let quietest: Float = 1e-6
/// A voice below this level is ignored: -60 dB.
private let quietestVoice: Float = 1e-3

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let threshold = 0, reference = 1, frequency = 2, ratio = 3, range = 4, attack = 5
  static let release = 6, band = 7, listen = 8, count = 9
}

// MARK: - State

/// The state of an instance.
struct DeEsser: AudioModule {
  // Parameters as last set.
  var parameters = SIMD16<Float>(repeating: -.infinity)
  var threshold: Smoother  // dB
  var slope: Smoother  // dB of reduction per dB above the threshold
  var range: Smoother  // dB
  var wide: Smoother  // 0: above the frequency, 1: everything
  var relative: Smoother  // 0: threshold relative to full scale, 1: to the voice
  var monitorsBand: Smoother  // 0 or 1
  var monitorsReduction: Smoother  // 0 or 1
  // Coefficients derived from them.
  var filter: MultimodeCoefficients
  var attack = 0.0
  var release = 0.0
  // Running state.
  var sound = MultimodeState()
  var reduction = EnvelopeFollower()  // dB
  var voice = EnvelopeFollower()  // linear
  var needsReset = true  // no block since create or reset
  // Read out: the most of the last block.
  var maximumReduction: Float = 0  // dB
  var loudest: Float = 0  // linear
  let voiceAttack: Double
  let voiceRelease: Double
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    threshold = smoother
    slope = smoother
    range = smoother
    wide = smoother
    relative = smoother
    monitorsBand = smoother
    monitorsReduction = smoother
    filter = Self.filter(frequencyHz: 6_000, sampleRateHz)
    voiceAttack = EnvelopeFollower.coefficient(
      timeConstantSeconds: voiceAttackSeconds, sampleRateHz: sampleRateHz)
    voiceRelease = EnvelopeFollower.coefficient(
      timeConstantSeconds: voiceReleaseSeconds, sampleRateHz: sampleRateHz)
    self.sampleRateHz = sampleRateHz
  }

  @_noLocks
  static func filter(frequencyHz: Double, _ sampleRateHz: Double) -> MultimodeCoefficients {
    MultimodeCoefficients(
      cutoffHz: min(frequencyHz, 0.4 * sampleRateHz), q: realtime_sqrt(0.5),
      sampleRateHz: sampleRateHz)
  }
}

// MARK: - Life

extension DeEsser {
  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    sound = MultimodeState()
    reduction = EnvelopeFollower()
    voice = EnvelopeFollower()
    maximumReduction = 0
    loudest = 0
    needsReset = true
  }

  /// The reduction and the level above the frequency, in dB, the most of the last block. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    values[0] = maximumReduction
    values[1] = Decibels.fastDecibels(max(loudest, quietest))
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout DeEsser, _ parameters: UnsafePointer<Float>) {
  var wanted = SIMD16<Float>(repeating: 0)
  for index in 0 ..< Parameter.count { wanted[index] = parameters[index] }
  guard state.needsReset || wanted != state.parameters else { return }
  state.parameters = wanted
  let rate = state.sampleRateHz
  state.threshold.move(to: wanted[Parameter.threshold])
  state.relative.move(to: wanted[Parameter.reference] >= 0.5 ? 1 : 0)
  state.filter = DeEsser.filter(frequencyHz: Double(wanted[Parameter.frequency]), rate)
  state.slope.move(to: 1 - 1 / max(wanted[Parameter.ratio], 1))
  state.range.move(to: wanted[Parameter.range])
  state.attack = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(wanted[Parameter.attack]) * 0.001, sampleRateHz: rate)
  state.release = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(wanted[Parameter.release]) * 0.001, sampleRateHz: rate)
  state.wide.move(to: wanted[Parameter.band] >= 0.5 ? 1 : 0)
  let listen = Int(wanted[Parameter.listen] + 0.5)
  state.monitorsBand.move(to: listen == 1 ? 1 : 0)
  state.monitorsReduction.move(to: listen == 2 ? 1 : 0)
  guard state.needsReset else { return }
  state.needsReset = false
  state.threshold.finish()
  state.relative.finish()
  state.slope.finish()
  state.range.finish()
  state.wide.finish()
  state.monitorsBand.finish()
  state.monitorsReduction.finish()
}

/// Returns the reduction, in dB.
@_noLocks
@inline(__always)
private func reductionDecibels(
  _ state: inout DeEsser, sibilance: SIMD2<Double>, whole: SIMD2<Float>
) -> Float {
  let relative = state.relative.next()
  var threshold = state.threshold.next()
  if relative > 0 {
    let voice = state.voice.follow(
      max(abs(whole.x), abs(whole.y)), attack: state.voiceAttack, release: state.voiceRelease)
    threshold += relative * Decibels.fastDecibels(max(voice, quietestVoice))
  }
  let peak = Float(max(abs(sibilance.x), abs(sibilance.y)))
  state.loudest = max(state.loudest, peak)
  let wanted = GainCurve.reduction(
    over: Decibels.fastDecibels(max(peak, quietest)) - threshold, slope: state.slope.next(),
    halfKnee: halfKneeDecibels)
  return state.reduction.follow(
    min(wanted, state.range.next()), attack: state.attack, release: state.release)
}

/// Returns the part of a frame to attenuate: the part above the frequency; with `wide` at 1 the whole.
@_noLocks
@inline(__always)
private func loss(
  _ parts: MultimodeOutputs, _ k: Double, root: Double, wide: Double
) -> SIMD2<Double> {
  let gain = root * root
  let band = parts.band * k
  return parts.high * (1 - gain) + band * (1 - (root + (gain - root) * wide))
    + parts.low * ((1 - gain) * wide)
}

/// Returns the output of a frame.
@_noLocks
@inline(__always)
private func monitored(
  _ state: inout DeEsser, _ input: SIMD2<Double>, _ parts: MultimodeOutputs, decibels: Float
) -> SIMD2<Double> {
  let loss = loss(
    parts, state.filter.k, root: Double(Decibels.fastAmplitude(-0.5 * decibels)),
    wide: Double(state.wide.next()))
  let output = input - loss
  let (monitorsBand, monitorsReduction) = (
    Double(state.monitorsBand.next()), Double(state.monitorsReduction.next())
  )
  guard monitorsBand > 0 || monitorsReduction > 0 else { return output }
  return output + (parts.high - output) * monitorsBand + (loss - output) * monitorsReduction
}

/// Four frames whose level is measured, before their gain is reduced.
private struct FrameGroup {
  let first, second, third, fourth: MultimodeOutputs
  /// The reduction that the curve gives, in dB.
  let wanted: SIMD4<Float>

  /// Takes four frames through the filter and the curve. [render]
  @_noLocks @inline(__always)
  init(_ state: inout DeEsser, _ sound: StereoFrames4) {
    first = state.filter.step(SIMD2<Double>(sound[0]), &state.sound)
    second = state.filter.step(SIMD2<Double>(sound[1]), &state.sound)
    third = state.filter.step(SIMD2<Double>(sound[2]), &state.sound)
    fourth = state.filter.step(SIMD2<Double>(sound[3]), &state.sound)
    var threshold = SIMD4(repeating: state.threshold.value)
    let relative = state.relative.value
    if relative > 0 {
      let voice = state.voice.follow(
        Self.louder(sound), attack: state.voiceAttack, release: state.voiceRelease)
      let level = voice.replacing(with: quietestVoice, where: voice .< quietestVoice)
      threshold += relative * Decibels.fastDecibels(level)
    }
    let peaks = Self.louder(
      StereoFrames4(
        SIMD2<Float>(first.high), SIMD2<Float>(second.high), SIMD2<Float>(third.high),
        SIMD2<Float>(fourth.high)))
    state.loudest = max(state.loudest, peaks.max())
    let reduction = GainCurve.reduction(
      over: Decibels.fastDecibels(peaks.replacing(with: quietest, where: peaks .< quietest))
        - threshold, slope: state.slope.value, halfKnee: halfKneeDecibels)
    let maximumReduction = state.range.value
    wanted = reduction.replacing(with: maximumReduction, where: reduction .> maximumReduction)
  }

  /// The louder of both channels.
  @_noLocks @inline(__always)
  private static func louder(_ sound: StereoFrames4) -> SIMD4<Float> {
    let (left, right) = (UnalignedSIMD.magnitude(sound.left), UnalignedSIMD.magnitude(sound.right))
    return left.replacing(with: right, where: right .> left)
  }

  /// Returns the output of frames with square roots of their gains. [render]
  @_noLocks @inline(__always)
  func output(
    _ state: DeEsser, _ sound: StereoFrames4, roots: SIMD4<Float>
  ) -> StereoFrames4 {
    let (k, wide) = (state.filter.k, Double(state.wide.value))
    func one(_ parts: MultimodeOutputs, _ frame: Int) -> SIMD2<Float> {
      SIMD2<Float>(
        SIMD2<Double>(sound[frame]) - loss(parts, k, root: Double(roots[frame]), wide: wide))
    }
    return StereoFrames4(one(first, 0), one(second, 1), one(third, 2), one(fourth, 3))
  }
}

extension DeEsser {
  /// Returns whether no ramp is active, and the output is not the removed part.
  @_noLocks
  private func isAtRest() -> Bool {
    let isMoving =
      threshold.isMoving || slope.isMoving || range.isMoving || wide.isMoving
      || relative.isMoving || monitorsBand.isMoving || monitorsReduction.isMoving
    return !isMoving && monitorsBand.value == 0 && monitorsReduction.value == 0
  }

  /// Frames one by one.
  @_noLocks
  private mutating func renderEach(_ stereo: StereoBlock, _ frames: Range<Int>) {
    var state = self
    for frame in frames {
      let whole = stereo.input(at: frame)
      let input = SIMD2<Double>(whole)
      let parts = state.filter.step(input, &state.sound)
      let decibels = reductionDecibels(&state, sibilance: parts.high, whole: whole)
      state.maximumReduction = max(state.maximumReduction, decibels)
      let output = monitored(&state, input, parts, decibels: decibels)
      stereo.output(SIMD2<Float>(output), at: frame)
    }
    self = state
  }

  /// Processes groups of four frames without ramps; the filter runs a group ahead of the envelope.
  @_noLocks
  private mutating func renderFours(_ stereo: StereoBlock, groupCount: Int) {
    var state = self
    var group = FrameGroup(&state, stereo.four(at: 0))
    for first in stride(from: 0, to: 4 * groupCount, by: 4) {
      let current = group
      if first + 4 < 4 * groupCount { group = FrameGroup(&state, stereo.four(at: first + 4)) }
      let decibels = state.reduction.follow(
        current.wanted, attack: state.attack, release: state.release)
      state.maximumReduction = max(state.maximumReduction, decibels.max())
      let roots = Decibels.fastAmplitude(-0.5 * decibels)
      stereo.output(current.output(state, stereo.four(at: first), roots: roots), at: first)
    }
    self = state
  }

  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    maximumReduction = 0
    loudest = 0
    let groupCount = isAtRest() ? block.frameCount / 4 : 0
    if groupCount > 0 { renderFours(block.stereo, groupCount: groupCount) }
    renderEach(block.stereo, 4 * groupCount ..< block.frameCount)
  }
}
