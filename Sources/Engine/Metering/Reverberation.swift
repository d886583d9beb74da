// Reverberation.swift: decay and echo density of a reverb. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// The decay time in octaves, and the echo density over time, from an impulse response.
package struct Reverberation: Sendable, Equatable {
  /// An octave and its decay.
  package struct Octave: Sendable, Equatable {
    /// The centre in Hz.
    package let hertz: Double
    /// The time for a decay of 60 dB in seconds, from the decay between -5 and -25 dB; nil if there is none.
    package let seconds: Double?
  }

  /// The echo density at a time.
  package struct Density: Sendable, Equatable {
    /// The time after the direct sound in seconds.
    package let seconds: Double
    /// 0 for single echoes, 1 for Gaussian noise.
    package let value: Double
  }

  /// The octaves from 125 Hz to 8 kHz.
  package let octaves: [Octave]
  /// The echo density in windows of 20 ms.
  package let densities: [Density]

  /// Shorter decays are those of filters, in seconds.
  private static let shortestSeconds = 0.15
  private static let octaveHz = [125.0, 250, 500, 1_000, 2_000, 4_000, 8_000]
  private static let densityTimes = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
  private static let windowSeconds = 0.02

  /// Analyses an impulse response; nil if it decays faster than a reverb.
  ///
  /// Decay by backward integration (Schroeder, 1965), echo density by Abel and Huang (2006).
  init?(_ impulse: [Double], from delay: Int, sampleRateHz: Int) {
    let rate = Double(sampleRateHz)
    let size = impulse.count
    // The second half of the circular response has the distortion of the sweep.
    let tail = (0 ..< size / 2).map { impulse[((delay + $0) % size + size) % size] }
    guard let whole = Self.decay(tail, rate), whole >= Self.shortestSeconds else { return nil }
    var real = tail + [Double](repeating: 0, count: size - tail.count)
    var imaginary = [Double](repeating: 0, count: size)
    FourierTransform.forward(&real, &imaginary)
    octaves = Self.octaveHz.filter { $0 * 1.42 < rate / 2 }.map { hertz in
      Octave(
        hertz: hertz,
        seconds: Self.decay(
          Array(Self.band(hertz, real, imaginary, rate).prefix(tail.count)), rate))
    }
    densities = Self.densityTimes.map { Density(seconds: $0, value: Self.density(tail, $0, rate)) }
  }

  /// Returns the part of a response in an octave, whose edges are half cosines over a third of an octave.
  private static func band(
    _ hertz: Double, _ real: [Double], _ imaginary: [Double], _ rate: Double
  ) -> [Double] {
    let size = real.count
    var parts = (real: real, imaginary: imaginary)
    for line in 0 ..< size {
      let distance = abs(log2(Double(min(line, size - line)) * rate / Double(size) / hertz))
      // 1 up to a third of an octave from the centre, 0 from two thirds on.
      let edge = min(1, max(0, 2 - 3 * distance))
      let weight = distance.isFinite ? 0.5 - 0.5 * cos(.pi * edge) : 0
      parts.real[line] *= weight
      // The conjugate: the inverse transform is done by a forward one.
      parts.imaginary[line] *= -weight
    }
    FourierTransform.forward(&parts.real, &parts.imaginary)
    return parts.real
  }

  /// Returns the time for a decay of 60 dB in seconds, from a line through the decay between -5 and -25 dB.
  private static func decay(_ response: [Double], _ rate: Double) -> Double? {
    var energy = 0.0
    var curve = [Double](repeating: 0, count: response.count)
    for index in response.indices.reversed() {
      energy += response[index] * response[index]
      curve[index] = energy
    }
    guard energy > 0, let first = curve.firstIndex(where: { $0 <= energy * pow(10, -0.5) }),
      let last = curve.firstIndex(where: { $0 <= energy * pow(10, -2.5) }), last > first + 2
    else { return nil }
    // Least squares over the frames in between.
    var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
    for index in first ... last {
      let (x, y) = (Double(index - first), DecibelConversion.fromPower(curve[index] / energy))
      (sumX, sumY, sumXX, sumXY) = (sumX + x, sumY + y, sumXX + x * x, sumXY + x * y)
    }
    let count = Double(last - first + 1)
    let slope = (count * sumXY - sumX * sumY) / (count * sumXX - sumX * sumX)
    return slope < 0 ? -60 / slope / rate : nil
  }

  /// Returns the share of samples beyond the standard deviation, relative to that of Gaussian noise.
  private static func density(_ response: [Double], _ seconds: Double, _ rate: Double) -> Double {
    let half = Int(windowSeconds * rate / 2)
    let centre = Int(seconds * rate)
    let window = response[max(0, centre - half) ..< min(response.count, centre + half)]
    let deviation = sqrt(window.reduce(0) { $0 + $1 * $1 } / Double(max(1, window.count)))
    guard deviation > 0 else { return 0 }
    let fraction = Double(window.count { abs($0) > deviation }) / Double(window.count)
    return fraction / erfc(1 / 2.0.squareRoot())
  }
}
