// Spectrum.swift: the power spectrum of a stretch of sound. SPDX-License-Identifier: MIT

import Glibc

/// The power of a windowed stretch of sound at each frequency.
struct Spectrum {
  /// How many frames are looked at: 5.9 Hz between lines at 48 kHz.
  static let frameCount = 8_192

  /// Power of each line, 1 for a sine of full scale spread over the lines it falls on.
  private let powers: [Double]
  private let lineHz: Double

  /// The spectrum of the last `frameCount` samples, or of fewer, padded with silence.
  init(of samples: some Collection<Float>, sampleRateHz: Double) {
    let count = Self.frameCount
    lineHz = sampleRateHz / Double(count)
    var real = [Double](repeating: 0, count: count)
    var imaginary = real
    var windowEnergy = 0.0
    for (index, sample) in samples.suffix(count).enumerated() {
      // Hann's window: leakage falls by 18 dB an octave.
      let window = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(count))
      real[index] = Double(sample) * window
      windowEnergy += window * window
    }
    Self.transform(&real, &imaginary)
    // Power of both halves over that of a full-scale sine (1/2), by Parseval's theorem.
    let scale = 4 / (Double(count) * max(windowEnergy, .leastNonzeroMagnitude))
    powers = (0 ..< count / 2).map {
      (real[$0] * real[$0] + imaginary[$0] * imaginary[$0]) * scale
    }
  }

  /// Octave bands with the nominal centres of IEC 61260, as far as they lie below half the rate.
  var octaveBands: [AnalyserReport.Band] {
    [31.5, 63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000].compactMap { nominal in
      let centre = 1_000 * pow(2, log2(nominal / 1_000).rounded())
      let upper = centre * 2.0.squareRoot()
      guard centre < lineHz * Double(powers.count) else { return nil }
      let first = max(1, Int((upper / 2 / lineHz).rounded(.up)))
      let last = min(powers.count - 1, Int((upper / lineHz).rounded(.up)) - 1)
      let power = first <= last ? powers[first ... last].reduce(0, +) : 0
      return AnalyserReport.Band(centreHz: nominal, decibels: 10 * log10(power))
    }
  }

  /// The strongest line, refined by a parabola through its neighbours' levels; nil for silence.
  var strongestHz: Double? {
    guard let top = powers.indices.dropFirst().dropLast().max(by: { powers[$0] < powers[$1] }),
      powers[top] > 1e-12
    else { return nil }
    let (left, middle, right) = (
      log(max(powers[top - 1], 1e-30)), log(powers[top]), log(max(powers[top + 1], 1e-30))
    )
    let curvature = left - 2 * middle + right
    let shift = curvature < 0 ? 0.5 * (left - right) / curvature : 0
    return (Double(top) + shift) * lineHz
  }

  /// Cooley and Tukey's transform of radix 2, in place; the count is a power of two.
  private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    let count = real.count
    var reversed = 0
    for index in 1 ..< count {
      var bit = count >> 1
      while reversed & bit != 0 {
        reversed ^= bit
        bit >>= 1
      }
      reversed |= bit
      if index < reversed {
        real.swapAt(index, reversed)
        imaginary.swapAt(index, reversed)
      }
    }
    var length = 2
    while length <= count {
      butterflies(&real, &imaginary, length)
      length *= 2
    }
  }

  private static func butterflies(
    _ real: inout [Double], _ imaginary: inout [Double], _ length: Int
  ) {
    let half = length / 2
    for offset in 0 ..< half {
      let angle = -2 * .pi * Double(offset) / Double(length)
      let (cosine, sine) = (cos(angle), sin(angle))
      for start in stride(from: offset, to: real.count, by: length) {
        let other = start + half
        let turnedReal = real[other] * cosine - imaginary[other] * sine
        let turnedImaginary = real[other] * sine + imaginary[other] * cosine
        (real[other], imaginary[other]) = (
          real[start] - turnedReal, imaginary[start] - turnedImaginary
        )
        real[start] += turnedReal
        imaginary[start] += turnedImaginary
      }
    }
  }
}
