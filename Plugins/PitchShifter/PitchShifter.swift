// PitchShifter.swift: transposes audio. SPDX-License-Identifier: MIT
//
// A phase vocoder (PhaseVocoder.swift) moves the peaks of the spectrum to their new positions
// (PeakShift.swift). To preserve the formants of a voice, each peak gets the level of the envelope at its new
// position (Envelope.swift).

import ModuleABI
import ModuleKit

typealias Exported = PitchShifter

// MARK: - Constants

private let smoothingSeconds: Float = 0.03

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let semitones = 0, cents = 1, formants = 2, mix = 3
}

// MARK: - State

/// The state of an instance.
struct PitchShifter: AudioModule {
  // The last parameter values, and ramps.
  var pitch = SIMD2<Float>(.nan, .nan)  // semitones, cents
  var ratio = 1.0  // derived from them
  var mix: MixControl
  // Running state.
  var vocoder: PhaseVocoder
  var left: DelayLine
  var right: DelayLine
  var needsReset = true

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    vocoder = PhaseVocoder(sampleRateHz: sampleRateHz)
    left = DelayLine(maximumDelay: vocoder.latency)
    right = DelayLine(maximumDelay: vocoder.latency)
  }
}

// MARK: - Life

extension PitchShifter {
  /// Frees the memory. [main]
  func free() {
    vocoder.free()
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    vocoder.clear()
    left.clear()
    right.clear()
    needsReset = true
  }

  /// The latency in frames, which the dry signal has too. [main]
  var latencyFrames: Int { Int(vocoder.latency) }
}

// MARK: - Rendering

extension PitchShifter {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let parameters = block.parameters
    var state = self
    let pitch = SIMD2(parameters[Parameter.semitones], parameters[Parameter.cents])
    if pitch != state.pitch {
      state.pitch = pitch
      state.ratio = realtime_pow(2, (Double(pitch.x) + Double(pitch.y) * 0.01) / 12)
    }
    // Without a pitch shift the wet signal is the dry one.
    state.mix.move(to: parameters[Parameter.mix] * 0.01, isCorrelated: pitch == .zero)
    if state.needsReset { state.mix.finish() }
    state.needsReset = false
    let isKeepingFormants = parameters[Parameter.formants] > 0.5
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let sample = stereo.input(at: frame)
      state.left.write(sample.x)
      state.right.write(sample.y)
      let age = state.vocoder.latency
      let dry = SIMD2(state.left.read(delay: age), state.right.read(delay: age))
      let wet = state.vocoder.next(
        SIMD2(SampleGuard.sanitizedInput(sample.x), SampleGuard.sanitizedInput(sample.y)),
        ratio: state.ratio,
        isKeepingFormants: isKeepingFormants)
      stereo.output(dry: dry, wet: wet, gains: state.mix.next(), at: frame)
    }
    self = state
  }
}
