// PluginMeasurementTests.swift: systems whose response and distortion are known exactly. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Metering

@Suite struct `Systems are measured` {
  private let signal = MeasurementSignal(sampleRateHz: 48_000)

  private func measure(_ system: ([Float]) -> [Float]) -> PluginMeasurement {
    PluginMeasurement(system(signal.samples), signal)
  }

  @Test func `a wire changes nothing`() {
    let result = measure { $0 }
    #expect(result.delayFrames == 0 && !result.isInverted && result.offset == 0)
    #expect(result.noise == -.infinity)
    #expect(result.response.allSatisfy { abs($0.gain) < 0.01 }, "\(result.response)")
    #expect(result.response.first?.hertz ?? 0 >= 20 && result.response.last?.hertz ?? 0 > 19_000)
    #expect(result.response.contains { $0.hertz == 1_000 })
    for tone in result.tones {
      #expect(abs(tone.level - tone.inputLevel) < 0.001, "\(tone)")
      #expect(tone.distortion < -130 && tone.distortionAndNoise < -120, "\(tone)")
    }
    #expect(result.tones.map(\.inputLevel) == Array(stride(from: -60, through: 0, by: 6)))
  }

  @Test func `the response of a one-pole low-pass is its formula`() {
    let share: Float = 0.2
    var state: Float = 0
    let result = measure { samples in
      samples.map { sample in
        state += share * (sample - state)
        return state
      }
    }
    for point in result.response {
      let angle = 2 * Double.pi * point.hertz / 48_000
      let rest = 1 - Double(share)
      let power = pow(Double(share), 2) / (1 + rest * rest - 2 * rest * cos(angle))
      #expect(abs(point.gain - 10 * log10(power)) < 0.05, "\(point), \(10 * log10(power))")
    }
    #expect(result.delayFrames <= 4)
  }

  @Test func `the response of a resonator is its formula`() {
    // RBJ's peaking equaliser: 12 dB at 500 Hz, Q of 4.
    let (amplitude, angle) = (pow(10, 12 / 40.0), 2 * Double.pi * 500 / 48_000)
    let alpha = sin(angle) / 8
    let b = [1 + alpha * amplitude, -2 * cos(angle), 1 - alpha * amplitude]
    let a = [1 + alpha / amplitude, -2 * cos(angle), 1 - alpha / amplitude]
    var (x, y) = ([0.0, 0.0], [0.0, 0.0])
    let result = measure { samples in
      samples.map { sample in
        let new = Double(sample)
        let out = (b[0] * new + b[1] * x[0] + b[2] * x[1] - a[1] * y[0] - a[2] * y[1]) / a[0]
        (x, y) = ([new, x[0]], [out, y[0]])
        return Float(out)
      }
    }
    for point in result.response {
      let w = 2 * Double.pi * point.hertz / 48_000
      func power(_ c: [Double]) -> Double {
        pow(c[0] + c[1] * cos(w) + c[2] * cos(2 * w), 2) + pow(c[1] * sin(w) + c[2] * sin(2 * w), 2)
      }
      let expected = 10 * log10(power(b) / power(a))
      #expect(abs(point.gain - expected) < 0.1, "\(point), \(expected)")
    }
  }

  @Test(arguments: [1, 37, 4_800])
  func `a delay is found, and the response does not change`(delay: Int) {
    let result = measure { [Float](repeating: 0, count: delay) + $0.map { -$0 / 2 } }
    #expect(result.delayFrames == delay && result.isInverted)
    #expect(result.response.allSatisfy { abs($0.gain + 6.0206) < 0.01 })
  }

  @Test func `the harmonics of a polynomial are its coefficients`() {
    // x + 0.1 x^2 + 0.04 x^3: harmonics of a tone with amplitude a are 0.05 a^2 and 0.01 a^3.
    let result = measure { $0.map { $0 + 0.1 * $0 * $0 + 0.04 * $0 * $0 * $0 } }
    for tone in result.tones {
      let a = pow(10, tone.inputLevel / 20)
      let fundamental = a + 0.03 * a * a * a
      let harmonics = pow(0.05 * a * a, 2) + pow(0.01 * a * a * a, 2)
      let expected = 10 * log10(harmonics) - 20 * log10(fundamental)
      #expect(abs(tone.distortion - expected) < 0.02, "\(tone), \(expected)")
      #expect(abs(tone.level - 20 * log10(fundamental)) < 0.001, "\(tone)")
      #expect(abs(tone.offset - 0.05 * a * a) < 1e-6, "\(tone)")
    }
  }

  @Test func `distortion does not change the response`() {
    let result = measure { $0.map { $0 + 0.5 * $0 * $0 } }
    // With its harmonic, the response would be wrong by 0.2 dB. Aliases come later than the tone and remain.
    let worst = result.response.filter { 100 ... 5_000 ~= $0.hertz }.max {
      abs($0.gain) < abs($1.gain)
    }
    #expect(abs(worst?.gain ?? 1) < 0.1, "\(String(describing: worst))")
  }

  @Test func `noise and offset without input are measured`() {
    let hiss = noise(signal.samples.count, seed: 3)
    let result = measure { zip($0, hiss).map { $0 + 0.001 * $1 + 0.002 } }
    let power = 1e-6 / 3 + 4e-6
    #expect(abs(result.noise - 10 * log10(2 * power)) < 0.1, "\(result.noise)")
    #expect(abs(result.offset - 0.002) < 1e-5)
    #expect(result.tones[0].distortionAndNoise > -15)
  }

  @Test func `silence and short outputs give values`() {
    let result = measure { _ in [] }
    #expect(result.noise == -.infinity && result.tones[0].level == -.infinity)
    // Rounding errors of the transform.
    #expect(result.response.allSatisfy { $0.gain < -250 })
  }
}
