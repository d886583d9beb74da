// Measure.swift: measurements of a module's output. SPDX-License-Identifier: MIT

import Foundation

/// Measurements of signals, computed in Double.
///
/// They copy slices to arrays, because generic code of another module is not specialised and takes
/// several times as long.
package enum Measure {
  /// The largest magnitude, in dB relative to 1; silence is -infinity.
  package static func peakDecibels(_ signal: some Collection<Float>) -> Double {
    decibels(Double(Array(signal).lazy.map { abs($0) }.max() ?? 0))
  }

  /// The root of the mean square, in dB relative to 1; a full-scale sine has -3.01 dB.
  package static func rmsDecibels(_ signal: some Collection<Float>) -> Double {
    let sum = Array(signal).reduce(0.0) { $0 + Double($1) * Double($1) }
    return decibels((sum / Double(max(1, signal.count))).squareRoot())
  }

  /// An amplitude ratio in dB.
  package static func decibels(_ ratio: Double) -> Double { 20 * log10(ratio) }

  /// The peak amplitude of one frequency in a signal, in dB relative to 1.
  ///
  /// A single bin of the Fourier transform under a Blackman-Harris window (sidelobes below -92 dB),
  /// so the signal need not have a whole number of periods.
  package static func levelDecibels(
    of frequencyHz: Double, in signal: some Collection<Float>, sampleRateHz: Double = 48_000
  ) -> Double {
    let window = Spectrum.blackmanHarris(signal.count)
    var real = 0.0
    var imaginary = 0.0
    for (frame, sample) in Array(signal).enumerated() {
      let angle = 2 * .pi * frequencyHz / sampleRateHz * Double(frame)
      real += Double(sample) * window[frame] * cos(angle)
      imaginary += Double(sample) * window[frame] * sin(angle)
    }
    let gain = window.reduce(0, +)
    return decibels(2 * (real * real + imaginary * imaginary).squareRoot() / gain)
  }

  /// Returns the decay time of an impulse response by 60 dB, in seconds.
  ///
  /// Backward integration (Schroeder 1965) and a straight line fitted from -5 to -35 dB (the T30 of
  /// ISO 3382-1), extrapolated to 60 dB.
  package static func decaySeconds(
    _ response: some Collection<Float>, sampleRateHz: Double = 48_000
  ) -> Double {
    var remaining = 0.0
    let backward = Array(response).reversed().map { sample in
      remaining += Double(sample) * Double(sample)
      return remaining
    }
    var count = 0.0
    var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
    for (frame, energy) in backward.reversed().enumerated() {
      let level = 10 * log10(energy / remaining)
      guard level <= -5, level >= -35 else { continue }
      let time = Double(frame) / sampleRateHz
      count += 1
      sumX += time
      sumY += level
      sumXX += time * time
      sumXY += time * level
    }
    return -60 * (count * sumXX - sumX * sumX) / (count * sumXY - sumX * sumY)
  }

  /// A signal between two frequencies: four second-order Butterworth sections, forwards only.
  package static func band(
    _ signal: [Float], fromHz: Double, toHz: Double, sampleRateHz: Double = 48_000
  ) -> [Float] {
    var result = signal.map(Double.init)
    for _ in 0 ..< 2 {
      section(&result, cutoffHz: fromHz, isHighPass: true, sampleRateHz)
      section(&result, cutoffHz: toHz, isHighPass: false, sampleRateHz)
    }
    return result.map { Float($0) }
  }

  /// The RBJ cookbook's second-order filter with Q = 0.7071.
  private static func section(
    _ signal: inout [Double], cutoffHz: Double, isHighPass: Bool, _ sampleRateHz: Double
  ) {
    let omega = 2 * .pi * cutoffHz / sampleRateHz
    let alpha = sin(omega) / 2.0.squareRoot()
    let edge = isHighPass ? 1 + cos(omega) : 1 - cos(omega)
    let norm = 1 + alpha
    let b0 = edge / 2 / norm
    let b1 = (isHighPass ? -edge : edge) / norm
    let a1 = -2 * cos(omega) / norm
    let a2 = (1 - alpha) / norm
    var (z1, z2) = (0.0, 0.0)
    for frame in signal.indices {
      let input = signal[frame]
      let output = b0 * input + z1
      z1 = b1 * input - a1 * output + z2
      z2 = b0 * input - a2 * output
      signal[frame] = output
    }
  }
}
