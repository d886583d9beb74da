// Compressor.swift: a feed-forward stereo compressor. SPDX-License-Identifier: MIT
//
// The level of the louder channel, of the main input or of the side chain, optionally high-passed, is
// converted to decibels. A curve with a soft knee gives the reduction, a smooth decoupled peak detector
// follows it, and both channels are multiplied by the result. Design and formulas: D. Giannoulis, M. Massberg
// and J. D. Reiss, "Digital Dynamic Range Compressor Design: A Tutorial and Analysis", J. Audio Eng. Soc. 60
// (6), 2012 (the log-domain arrangement of figure 7c). The detector comes after the curve, so that the time
// constants apply to the gain in decibels at any threshold.

import ModuleABI
import ModuleKit

// MARK: - Constants

private let glideSeconds: Float = 0.005
/// Levels below this are not measured: -120 dB.
private let quietest: Float = 1e-6
/// The automatic make-up compensates the reduction at this level in dB: between the peaks of speech at -14 dB and
/// those of dense mixes at -18 dB, if both have -23 LUFS.
private let referenceLevel: Float = -15.5
/// Input above this level, or NaN, is a fault of an earlier node and is not measured.
private let loudest: Float = 1e6

// MARK: - Parameters, in the order of the manifest

private let threshold = 0
private let ratio = 1
private let knee = 2
private let attack = 3
private let release = 4
private let makeup = 5
private let mix = 6
private let detectorHighPass = 7
/// The detector input: the main input, or from 0.5 on the side chain.
private let key = 8
/// Whether the make-up is added to an automatic one, from 0.5 on.
private let automaticMakeup = 9
/// The number of parameters that set values; they come before `key`.
private let valueCount = 8

// MARK: - State

/// The static curve: level in, reduction out.
struct Curve {
  var threshold: Smoother  // dB
  var slope: Smoother  // dB of reduction per dB above the threshold, 0 to 1
  var halfKnee: Smoother  // dB

  @_noLocks
  func isMoving() -> Bool { threshold.isMoving || slope.isMoving || halfKnee.isMoving }

  @_noLocks @inline(__always)
  mutating func advance() {
    _ = threshold.next()
    _ = slope.next()
    _ = halfKnee.next()
  }

  /// The reduction in dB, 0 or more, of a level in dB.
  @_noLocks @inline(__always)
  func reduction(_ level: Float) -> Float {
    GainCurve.reduction(
      over: level - threshold.value, slope: slope.value, halfKnee: halfKnee.value)
  }

  /// Returns the gain reductions for four levels.
  @_noLocks @inline(__always)
  func reduction(_ levels: SIMD4<Float>) -> SIMD4<Float> {
    GainCurve.reduction(
      over: levels - threshold.value, slope: slope.value, halfKnee: halfKnee.value)
  }
}

struct Compressor: AudioModule {
  // The last parameter values, without the key; the make-up includes the automatic one.
  var parameters = SIMD8<Float>()
  var needsReset = true
  // Coefficients derived from them.
  var attack = 0.0
  var release = 0.0
  var highPass = FilterCoefficients()
  // Running state.
  var curve: Curve
  var makeup: Smoother  // dB
  var mix: Smoother  // 0 to 1
  var detector = FilterState()
  var envelope = EnvelopeFollower()
  var maximumReduction = SIMD4<Float>.zero  // of the last block, dB
  // Derived once.
  let sampleRateHz: Double  // Hz

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    self.sampleRateHz = sampleRateHz
    makeup = Smoother(
      0, timeConstantSeconds: glideSeconds, sampleRateHz: Float(sampleRateHz))
    mix = makeup
    curve = Curve(threshold: makeup, slope: makeup, halfKnee: makeup)
  }

  @_noLocks
  func isMoving() -> Bool { curve.isMoving() || makeup.isMoving || mix.isMoving }
}

// MARK: - Helpers

/// A second-order Butterworth high-pass.
@_noLocks
private func highPass(_ frequencyHz: Double, _ sampleRateHz: Double) -> FilterCoefficients {
  let g = realtime_tan(Double.pi * min(frequencyHz / sampleRateHz, 0.45))
  return FilterCoefficients(g: g, k: realtime_sqrt(2), high: 1, band: 0, low: 0)
}

/// Adds the reduction at the reference level to the make-up.
@_noLocks
private func addMakeup(_ wanted: inout SIMD8<Float>) {
  wanted[makeup] += GainCurve.reduction(
    over: referenceLevel - wanted[threshold], slope: 1 - 1 / max(wanted[ratio], 1),
    halfKnee: max(wanted[knee], 0) / 2)
}

/// Takes new parameters and starts the interpolators.
@_noLocks
private func update(_ state: inout Compressor, _ wanted: SIMD8<Float>) {
  let rate = state.sampleRateHz
  state.curve.threshold.move(to: wanted[threshold])
  state.curve.slope.move(to: 1 - 1 / max(wanted[ratio], 1))
  state.curve.halfKnee.move(to: max(wanted[knee], 0) / 2)
  state.makeup.move(to: wanted[makeup])
  state.mix.move(to: wanted[mix] / 100)
  state.attack = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(wanted[attack]) / 1_000, sampleRateHz: rate)
  state.release = EnvelopeFollower.coefficient(
    timeConstantSeconds: Double(wanted[release]) / 1_000, sampleRateHz: rate)
  state.highPass = highPass(Double(max(wanted[detectorHighPass], 1)), rate)
  state.parameters = wanted
  guard state.needsReset else { return }
  state.curve.threshold.jump(to: wanted[threshold])
  state.curve.slope.jump(to: 1 - 1 / max(wanted[ratio], 1))
  state.curve.halfKnee.jump(to: max(wanted[knee], 0) / 2)
  state.makeup.jump(to: wanted[makeup])
  state.mix.jump(to: wanted[mix] / 100)
  state.detector = FilterState()
  state.envelope = EnvelopeFollower()
  state.needsReset = false
}

/// The values for one frame that are constant unless a ramp is active.
private struct Setting {
  var curve: Curve
  var makeup: Float  // dB
  var mix: Float  // 0 to 1
  let attack: Double
  let release: Double
  let highPass: FilterCoefficients

  @_noLocks @inline(__always)
  init(_ state: Compressor) {
    curve = state.curve
    makeup = state.makeup.value
    mix = state.mix.value
    attack = state.attack
    release = state.release
    highPass = state.highPass
  }
}

/// Returns the level above the threshold for one frame.
@_noLocks @inline(__always)
private func peak(
  _ setting: Setting, _ detector: inout FilterState, _ left: Float, _ right: Float
) -> Float {
  let sound = SIMD2<Double>(
    abs(left) <= loudest ? Double(left) : 0, abs(right) <= loudest ? Double(right) : 0)
  let detectorSignal = setting.highPass.step(sound, &detector)
  return max(Float(max(abs(detectorSignal.x), abs(detectorSignal.y))), quietest)
}

/// The reduction in dB for one frame.
@_noLocks @inline(__always)
private func reduction(
  _ setting: Setting, _ detector: inout FilterState, _ envelope: inout EnvelopeFollower,
  _ left: Float, _ right: Float
) -> Float {
  envelope.follow(
    setting.curve.reduction(Decibels.fastDecibels(peak(setting, &detector, left, right))),
    attack: setting.attack, release: setting.release)
}

/// Returns the levels above the threshold for four frames, with exactly the same results.
@_noLocks @inline(__always)
private func peaks(
  _ setting: Setting, _ detector: inout FilterState, _ sound: StereoFrames4
) -> SIMD4<Float> {
  let entering = StereoFrames4(left: measurable(sound.left), right: measurable(sound.right))
  func detectorSignal(_ frame: Int, _ detector: inout FilterState) -> SIMD2<Float> {
    SIMD2<Float>(setting.highPass.step(SIMD2<Double>(entering[frame]), &detector))
  }
  let sides = StereoFrames4(
    detectorSignal(0, &detector), detectorSignal(1, &detector), detectorSignal(2, &detector),
    detectorSignal(3, &detector))
  let (left, right) = (UnalignedSIMD.magnitude(sides.left), UnalignedSIMD.magnitude(sides.right))
  let louder = left.replacing(with: right, where: right .> left)
  return louder.replacing(with: quietest, where: louder .< quietest)
}

/// Faults become silence.
@_noLocks @inline(__always)
private func measurable(_ sound: SIMD4<Float>) -> SIMD4<Float> {
  SIMD4<Float>.zero.replacing(with: sound, where: UnalignedSIMD.magnitude(sound) .<= loudest)
}

extension Compressor {
  /// Frames one by one, with settings that move.
  @_noLocks
  private mutating func renderEach(
    _ setting: Setting, _ stereo: StereoBlock, by detectorSignal: StereoBlock, _ frames: Range<Int>
  ) {
    var (setting, detector, envelope) = (setting, detector, envelope)
    var loudestReduction: Float = 0
    for i in frames {
      curve.advance()
      setting.curve = curve
      setting.makeup = makeup.next()
      setting.mix = mix.next()
      let down = reduction(
        setting, &detector, &envelope, detectorSignal.leftIn[i], detectorSignal.rightIn[i])
      loudestReduction = max(loudestReduction, down)
      let factor = 1 + setting.mix * (Decibels.fastAmplitude(setting.makeup - down) - 1)
      stereo.output(stereo.input(at: i) * factor, at: i)
    }
    maximumReduction.x = max(maximumReduction.x, loudestReduction)
    (self.detector, self.envelope) = (detector, envelope)
  }

  /// Processes frames without active ramps in groups of four from the first frame on, with exactly the same
  /// results.
  ///
  /// Computations that do not depend on the previous frame are done for four frames at once. The rest is in
  /// three stages that do not wait for each other: the filter is two groups ahead of the envelope, the curve
  /// one.
  @_noLocks
  private mutating func renderFours(
    _ setting: Setting, _ stereo: StereoBlock, by detectorSignal: StereoBlock, groupCount: Int
  ) {
    var (detector, envelope, loudestReduction) = (detector, envelope, maximumReduction)
    let frameCount = 4 * groupCount
    var heights = peaks(setting, &detector, detectorSignal.four(at: 0))
    var wanted = setting.curve.reduction(Decibels.fastDecibels(heights))
    if groupCount > 1 { heights = peaks(setting, &detector, detectorSignal.four(at: 4)) }
    for first in stride(from: 0, to: frameCount, by: 4) {
      let next = setting.curve.reduction(Decibels.fastDecibels(heights))
      if first + 8 < frameCount {
        heights = peaks(setting, &detector, detectorSignal.four(at: first + 8))
      }
      let down = envelope.follow(wanted, attack: setting.attack, release: setting.release)
      loudestReduction = pointwiseMax(loudestReduction, down)
      let factors = 1 + setting.mix * (Decibels.fastAmplitude(setting.makeup - down) - 1)
      let sound = stereo.four(at: first)
      stereo.output(
        StereoFrames4(left: sound.left * factors, right: sound.right * factors), at: first)
      wanted = next
    }
    (self.detector, self.envelope, maximumReduction) = (detector, envelope, loudestReduction)
  }
}

// MARK: - Life

/// The struct that `Exports.swift` exports.
typealias Exported = Compressor

extension Compressor {
  /// Clears the signal state; the next block starts at its parameters. [render]
  @_noLocks
  mutating func reset() { needsReset = true }

  /// The largest reduction of the last block in dB, without make-up. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) { values[0] = maximumReduction.max() }
}

// MARK: - Sound

extension Compressor {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    var wanted = SIMD8<Float>()
    for p in 0 ..< valueCount { wanted[p] = block.parameters[p] }
    if block.parameters[automaticMakeup] >= 0.5 { addMakeup(&wanted) }
    maximumReduction = .zero
    if needsReset || wanted != parameters { update(&self, wanted) }
    let stereo = block.stereo
    let detectorSignal = block.parameters[key] < 0.5 ? stereo : block.sideChain
    let setting = Setting(self)
    let groupCount = isMoving() ? 0 : block.frameCount / 4
    if groupCount > 0 { renderFours(setting, stereo, by: detectorSignal, groupCount: groupCount) }
    renderEach(setting, stereo, by: detectorSignal, 4 * groupCount ..< block.frameCount)
  }
}
