// PinkFilter.swift: white noise made pink. SPDX-License-Identifier: MIT
//
// Poles and zeros alternate on a logarithmic axis, which falls by 3 dB an octave at any sample rate
// (J. O. Smith and H. F. Smith, Closed Form Fractional Integration and Differentiation via Real
// Exponentially Spaced Pole-Zero Pairs, 2016). Mapped to the unit circle by the bilinear transform
// they fall too steeply near half the rate, by the matched one too little; a fifth of the one and
// four fifths of the other are within 0.15 dB from 40 Hz to 20 kHz at 48 kHz.

import ModuleABI
import ModuleKit

/// Twelve first-order sections from 4 Hz up, of unit power gain for white noise.
struct PinkFilter {
  private static let sectionCount = 12
  private static let lowestHz = 4.0

  private var poles = InlineArray<12, Float>(repeating: 0)  // feedback coefficients
  private var zeros = InlineArray<12, Float>(repeating: 0)  // feedforward coefficients
  private var memories = InlineArray<12, Float>(repeating: 0)
  private var gain: Float = 1

  /// - Parameter sampleRateHz: above 0.
  init(sampleRateHz: Double) {
    let highest = 0.42 * sampleRateHz
    let ratio = realtime_pow(highest / Self.lowestHz, 1 / Double(2 * Self.sectionCount - 1))
    var frequency = Self.lowestHz
    for section in 0 ..< Self.sectionCount {
      poles[section] = Self.position(frequency, sampleRateHz)
      zeros[section] = Self.position(frequency * ratio, sampleRateHz)
      frequency *= ratio * ratio
    }
    // The power gain for white noise is the energy of the impulse response.
    var energy = 0.0
    for frame in 0 ..< Int(sampleRateHz / 2) {
      let sample = Double(next(frame == 0 ? 1 : 0))
      energy += sample * sample
    }
    gain = Float(1 / realtime_sqrt(energy))
    clear()
  }

  /// The position on the real axis of a pole or zero at a frequency.
  private static func position(_ frequencyHz: Double, _ sampleRateHz: Double) -> Float {
    let angle = Double.pi * frequencyHz / sampleRateHz
    let bilinear = (1 - realtime_tan(angle)) / (1 + realtime_tan(angle))
    return Float(0.2 * bilinear + 0.8 * realtime_exp(-2 * angle))
  }

  /// Clears the signal state.
  @_noLocks
  mutating func clear() {
    for section in 0 ..< Self.sectionCount { memories[section] = 0 }
  }

  /// Filters one frame.
  @_noLocks
  @inline(__always)
  mutating func next(_ white: Float) -> Float {
    var sample = white * gain
    for section in 0 ..< Self.sectionCount {
      let memory = sample + poles[section] * memories[section]
      sample = memory - zeros[section] * memories[section]
      memories[section] = memory
    }
    return sample
  }
}
