// Spectrum.swift: the power of a signal at each frequency. SPDX-License-Identifier: MIT

import Foundation

/// The spectrum of a signal, from a windowed Fourier transform of a power of two frames.
package struct Spectrum {
  /// The amplitude in each bin, scaled so that a sine with a peak of 1 has 1 in its bin.
  package let amplitudes: [Double]
  /// The distance between two bins.
  package let binWidthHz: Double

  /// Uses the largest power of two that fits from the start of the signal.
  package init(_ signal: some Collection<Float>, sampleRateHz: Double = 48_000) {
    var size = 1
    while size * 2 <= signal.count { size *= 2 }
    let window = Self.blackmanHarris(size)
    var real = zip(Array(signal), window).map { Double($0) * $1 }
    var imaginary = [Double](repeating: 0, count: size)
    Self.transform(&real, &imaginary)
    let scale = 2 / window.reduce(0, +)
    amplitudes = (0 ... size / 2).map { bin in
      scale * (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]).squareRoot()
    }
    binWidthHz = sampleRateHz / Double(size)
  }

  /// The greatest amplitude between two frequencies, in dB relative to a sine of peak 1.
  package func peakDecibels(fromHz: Double, toHz: Double) -> Double {
    Measure.decibels(amplitudes[bins(fromHz, toHz)].max() ?? 0)
  }

  /// The mean power between two frequencies, in dB; for comparing bands of one spectrum.
  package func meanDecibels(fromHz: Double, toHz: Double) -> Double {
    let band = amplitudes[bins(fromHz, toHz)]
    return 10 * log10(band.reduce(0) { $0 + $1 * $1 } / Double(band.count))
  }

  /// The greatest amplitude of the bins that are further than `marginHz` from all `frequenciesHz`.
  package func peakDecibels(awayFrom frequenciesHz: [Double], marginHz: Double) -> Double {
    let nearest = amplitudes.indices.map { bin in
      frequenciesHz.map { abs($0 - Double(bin) * binWidthHz) }.min() ?? .infinity
    }
    let rest = amplitudes.indices.filter { nearest[$0] > marginHz }.map { amplitudes[$0] }
    return Measure.decibels(rest.max() ?? 0)
  }

  private func bins(_ fromHz: Double, _ toHz: Double) -> ClosedRange<Int> {
    let last = amplitudes.count - 1
    let first = min(last, Int((fromHz / binWidthHz).rounded(.up)))
    return first ... max(first, min(last, Int(toHz / binWidthHz)))
  }

  /// The four-term window of Harris (1978), whose sidelobes are below -92 dB.
  static func blackmanHarris(_ count: Int) -> [Double] {
    (0 ..< count).map { index in
      let angle = 2 * .pi * Double(index) / Double(count)
      return 0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2 * angle) - 0.01168 * cos(3 * angle)
    }
  }

  /// Radix-2, decimation in time, in place.
  private static func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
    let size = real.count
    var reversed = 0
    for index in 1 ..< max(size, 1) {
      var bit = size >> 1
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
    let turn = (0 ..< size / 2).map { -2 * .pi * Double($0) / Double(size) }
    let cosines = turn.map { cos($0) }
    let sines = turn.map { sin($0) }
    var half = 1
    while half < size {
      let stride = size / (2 * half)
      for start in Swift.stride(from: 0, to: size, by: 2 * half) {
        for offset in 0 ..< half {
          let (upper, lower) = (start + offset, start + offset + half)
          let (c, s) = (cosines[offset * stride], sines[offset * stride])
          let re = real[lower] * c - imaginary[lower] * s
          let im = real[lower] * s + imaginary[lower] * c
          real[lower] = real[upper] - re
          imaginary[lower] = imaginary[upper] - im
          real[upper] += re
          imaginary[upper] += im
        }
      }
      half *= 2
    }
  }
}
