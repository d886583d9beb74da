// Tuner.swift: shows the played note and its deviation. SPDX-License-Identifier: MIT
//
// The audio passes, or is muted during tuning. The mean of its channels, without its lowest frequencies and
// at about 24 kHz, goes to a pitch detector that measures about twenty times a second.

import ModuleABI
import ModuleKit

typealias Exported = Tuner

// MARK: - Constants

private let muteSeconds: Float = 0.005
/// Hum and rumble below this are no notes.
private let highPassHz = 18.0

// MARK: - Parameters and readouts, in the manifest's order

private enum Parameter {
  static let reference = 0, threshold = 1, mute = 2
}

private enum Readout {
  static let pitch = 0, note = 1, cents = 2, level = 3, clarity = 4
}

// MARK: - State

/// The state of an instance.
struct Tuner: AudioModule {
  // Parameters as last set.
  var referenceHz = 440.0
  var threshold = 0.0  // power
  var passing: Smoother  // ratio
  // Running state.
  var low = 0.0  // the low-pass state of the high-pass
  var decimator: Decimator
  var detector: PitchDetector
  var needsReset = true
  // Derived once.
  let highPass: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    passing = Smoother(
      1, timeConstantSeconds: muteSeconds, sampleRateHz: Float(sampleRateHz))
    decimator = Decimator(sampleRateHz: sampleRateHz)
    let rateHz = sampleRateHz / Double(decimator.factor)
    detector = PitchDetector(rateHz: rateHz)
    highPass = 1 - realtime_exp(-2 * Double.pi * highPassHz / rateHz)
  }
}

// MARK: - Life

extension Tuner {
  /// Frees the memory. [main]
  func free() {
    decimator.free()
    detector.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    decimator.clear()
    detector.clear()
    low = 0
    needsReset = true
  }

  /// Writes the readouts, in the manifest's order; without a pitch all but the level are 0. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    let pitch = detector.pitch
    for readout in 0 ..< 5 { values[readout] = 0 }
    values[Readout.level] = pitch.power > 1e-12 ? Float(10 * realtime_log10(pitch.power)) : -120
    guard pitch.power >= threshold, pitch.frequencyHz > 0 else { return }
    let octaves =
      realtime_log10(pitch.frequencyHz / referenceHz) * 3.321_928_094_887_362
    let note = 69 + 12 * octaves
    let nearest = Double(Int(note + 0.5))
    values[Readout.pitch] = Float(pitch.frequencyHz)
    values[Readout.note] = Float(nearest)
    values[Readout.cents] = Float(100 * (note - nearest))
    values[Readout.clarity] = Float(100 * pitch.clarity)
  }
}

// MARK: - Rendering

extension Tuner {
  /// Passes one block on, and listens; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let parameters = block.parameters
    var state = self
    state.referenceHz = Double(parameters[Parameter.reference])
    state.threshold = realtime_pow(10, Double(parameters[Parameter.threshold]) / 10)
    state.passing.move(to: parameters[Parameter.mute] > 0.5 ? 0 : 1)
    if state.needsReset { state.passing.finish() }
    state.needsReset = false
    let stereo = block.stereo
    for frame in 0 ..< block.frameCount {
      let (left, right) = (stereo.leftIn[frame], stereo.rightIn[frame])
      if let sample = state.decimator.next(
        0.5 * (SampleGuard.sanitizedInput(left) + SampleGuard.sanitizedInput(right)))
      {
        state.low += (Double(sample) - state.low) * state.highPass
        state.detector.take(sample - Float(state.low))
      }
      let passing = state.passing.next()
      stereo.leftOut[frame] = passing == 1 ? left : passing == 0 ? 0 : left * passing
      stereo.rightOut[frame] = passing == 1 ? right : passing == 0 ? 0 : right * passing
    }
    self = state
  }
}
