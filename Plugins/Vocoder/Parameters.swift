// Parameters.swift: applies the parameters of a block. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let carrier = 0, chord = 1, pitch = 2, detune = 3, bands = 4, low = 5, high = 6, shift = 7
  static let attack = 8, release = 9, tilt = 10, hiss = 11, highs = 12, mix = 13, level = 14
}

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
func prepare(_ state: inout Vocoder, _ parameters: UnsafePointer<Float>) {
  let carrier = Int(parameters[Parameter.carrier] + 0.5)
  state.inside.move(to: carrier == 0 ? 1 : 0)
  state.noise.move(to: carrier == 1 ? 1 : 0)
  state.outside.move(to: carrier == 2 ? 1 : 0)
  state.hiss.move(to: parameters[Parameter.hiss] * 0.01)
  state.highs.move(to: parameters[Parameter.highs] * 0.01)
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.level.move(to: Decibels.amplitude(parameters[Parameter.level]))
  state.pitch.move(to: octaves(parameters[Parameter.pitch]))
  state.low = octaves(parameters[Parameter.low])
  state.high = octaves(parameters[Parameter.high])
  state.shift = parameters[Parameter.shift] / 12
  state.tilt.move(to: parameters[Parameter.tilt])
  state.chord = Chord(rawValue: Int(parameters[Parameter.chord] + 0.5)) ?? .major
  state.bandCount = min(max(Int(parameters[Parameter.bands] + 0.5), 1), Bank.maximumBandCount)
  state.tuning.detune = realtime_pow(2, Double(parameters[Parameter.detune]) / 2_400)
  state.envelopeCoefficients.attack = coefficient(parameters[Parameter.attack], state.sampleRateHz)
  state.envelopeCoefficients.release = coefficient(
    parameters[Parameter.release], state.sampleRateHz)
  guard state.needsReset else { return }
  state.drone.jump(to: 1)
  state.inside.finish()
  state.noise.finish()
  state.outside.finish()
  state.hiss.finish()
  state.highs.finish()
  state.mix.finish()
  state.level.finish()
  state.pitch.finish()
  state.tilt.finish()
}

/// Octaves above 1 Hz.
@_noLocks
private func octaves(_ hertz: Float) -> Float { Decibels.fastDecibels(hertz) / 6.020_599_9 }

/// Returns the fraction of an envelope's remaining change per frame.
@_noLocks
private func coefficient(_ milliseconds: Float, _ sampleRateHz: Double) -> Float {
  Float(
    1
      - EnvelopeFollower.coefficient(
        timeConstantSeconds: Double(milliseconds) * 0.001, sampleRateHz: sampleRateHz))
}
