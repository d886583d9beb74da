// MeasurementGridTests.swift: distortion over level and frequency. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Metering

@Suite struct `Distortion is measured over level and frequency` {
  /// A sine of an amplitude that is clipped at another one, by its Fourier series.
  private struct ClippedSine {
    let amplitude: Double
    let limit: Double
    /// The angle from which the sine is clipped.
    private var angle: Double { asin(min(1, limit / amplitude)) }

    /// The amplitude of an odd harmonic.
    func harmonic(_ number: Double) -> Double {
      let sine =
        number == 1
        ? angle / 2 - sin(2 * angle) / 4
        : sin((number - 1) * angle) / (2 * (number - 1))
          - sin((number + 1) * angle) / (2 * (number + 1))
      let flat = amplitude > limit ? limit * cos(number * angle) / number : 0
      return 4 / .pi * (amplitude * sine + flat)
    }

    var meanSquare: Double {
      2 / .pi
        * (pow(amplitude, 2) * (angle / 2 - sin(2 * angle) / 4)
          + (amplitude > limit ? limit * limit * (.pi / 2 - angle) : 0))
    }
  }

  @Test(arguments: [48_000, 44_100, 96_000])
  func `a clipper has the harmonics of the Fourier series at every point`(rate: Int) {
    let signal = MeasurementSignal(sampleRateHz: rate, hasGrid: true)
    let limit = 0.2
    let result = PluginMeasurement(
      signal.samples.map { min(Float(limit), max(-Float(limit), $0)) }, signal)
    let levels = MeasurementSignal.toneLevels
    #expect(result.grid.count == levels.count * (result.frequencyTones.count + 1))
    #expect(result.grid.prefix(levels.count).map(\.inputLevel) == levels)
    #expect(Set(result.grid.map(\.hertz)).count == result.frequencyTones.count + 1)
    for tone in result.grid {
      let sine = ClippedSine(amplitude: pow(10, tone.inputLevel / 20), limit: limit)
      let first = sine.harmonic(1)
      #expect(abs(tone.level - 20 * log10(first)) < 0.02, "\(tone)")
      guard sine.amplitude > limit else {
        #expect(tone.distortionAndNoise < -100, "\(tone)")
        continue
      }
      let rest = sine.meanSquare - first * first / 2
      let expected = 10 * log10(rest / (first * first / 2))
      // At high frequencies few samples lie on the flat part of a period, but all periods together have them all.
      #expect(abs(tone.distortionAndNoise - expected) < 0.1, "\(tone), \(expected)")
      guard tone.hertz * 10 < 0.5 * Double(rate) else { continue }
      let harmonics = stride(from: 3.0, through: 9, by: 2).map(sine.harmonic)
      let thd = 10 * log10(harmonics.map { $0 * $0 }.reduce(0, +) / (first * first))
      #expect(abs(tone.distortion - thd) < 0.1, "\(tone), \(thd)")
    }
  }

  @Test func `without a grid, the signal has the same length and result as before`() {
    let (short, long) = (
      MeasurementSignal(sampleRateHz: 48_000),
      MeasurementSignal(sampleRateHz: 48_000, hasGrid: true)
    )
    #expect(long.frameCount > 2 * short.frameCount)
    let results = [short, long].map { signal in
      PluginMeasurement(signal.samples.map { $0 + 0.1 * $0 * $0 }, signal)
    }
    #expect(results[0].grid.isEmpty && results[0].tones == results[1].tones)
    // As text, because tones without harmonics have NaN.
    #expect("\(results[0].frequencyTones)" == "\(results[1].frequencyTones)")
    #expect(results[0].step == results[1].step)
  }
}
