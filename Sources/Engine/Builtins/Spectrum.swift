// Spectrum.swift: the power spectrum of a range of audio. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// The power of a windowed range of audio at each frequency.
struct Spectrum {
  /// The number of frames in a spectrum: 5.9 Hz between lines at 48 kHz.
  static let frameCount = 8_192

  /// Power of each line, 1 for a sine of full scale spread over the lines it falls on.
  private let powers: [Double]
  private let lineHz: Double

  /// The spectrum of the last `frameCount` samples, or of fewer, padded with silence.
  init(of samples: some Collection<Float>, sampleRateHz: Double) {
    let count = Self.frameCount
    lineHz = sampleRateHz / Double(count)
    // Hann's window: leakage falls by 18 dB an octave.
    let window = (0 ..< min(count, samples.count)).map {
      0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(count))
    }
    guard !window.isEmpty else {
      powers = [Double](repeating: 0, count: count / 2)
      return
    }
    let weighted = zip(samples.suffix(count), window).map { Double($0) * $1 }
    // A card's constant offset would leak into the lowest lines.
    let offset = weighted.reduce(0, +) / window.reduce(0, +)
    var real = zip(weighted, window).map { $0 - offset * $1 }
    real += [Double](repeating: 0, count: count - real.count)
    var imaginary = [Double](repeating: 0, count: count)
    FourierTransform.forward(&real, &imaginary)
    // Power of both halves over that of a full-scale sine (1/2), by Parseval's theorem.
    let scale = 4 / (Double(count) * window.reduce(0) { $0 + $1 * $1 })
    powers = (0 ..< count / 2).map {
      let power = (real[$0] * real[$0] + imaginary[$0] * imaginary[$0]) * scale
      return power.isFinite ? power : .infinity
    }
  }

  /// Octave bands with the nominal centres of IEC 61260 below half the rate.
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

  /// The frequency of the strongest line, interpolated with its larger neighbour; nil for silence
  /// and for samples that are not finite.
  ///
  /// T. Grandke, "Interpolation algorithms for discrete Fourier transforms of weighted signals",
  /// IEEE Trans. Instrum. Meas. 32 (1983): with a Hann window the ratio of both lines gives the
  /// exact frequency of a single sine.
  var strongestHz: Double? {
    guard let top = powers.indices.dropFirst().dropLast().max(by: { powers[$0] < powers[$1] }),
      powers[top] > 1e-12, powers[top].isFinite
    else { return nil }
    let side = powers[top + 1] >= powers[top - 1] ? 1 : -1
    let ratio = (powers[top + side] / powers[top]).squareRoot()
    let shift = max(0, (2 * ratio - 1) / (ratio + 1)) * Double(side)
    return (Double(top) + shift) * lineHz
  }
}
