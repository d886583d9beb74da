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

  @Test func `the group delay of an all-pass is its formula`() {
    // y[n] = -c x[n] + x[n-1] + c y[n-1].
    let share = 0.5
    var (x, y) = (0.0, 0.0)
    let result = measure { samples in
      samples.map { sample in
        let out = -share * Double(sample) + x + share * y
        (x, y) = (Double(sample), out)
        return Float(out)
      }
    }
    for point in result.response where point.hertz < 15_000 {
      let angle = 2 * Double.pi * point.hertz / 48_000
      let frames = (1 - share * share) / (1 + share * share - 2 * share * cos(angle))
      let expected = frames - Double(result.delayFrames)
      #expect(abs(point.groupDelay * 48_000 - expected) < 0.05, "\(point), \(expected)")
      #expect(abs(point.gain) < 0.02)
    }
  }

  @Test func `the phase of an inverted wire is half a turn, and its impulse response is one frame`()
  {
    let result = measure { $0.map { -$0 } }
    #expect(
      result.response.allSatisfy { abs(abs($0.phase) - 180) < 1 && abs($0.groupDelay) < 1e-5 })
    let peak = result.impulseResponse[PluginMeasurement.impulseLeadFrames]
    #expect(peak < -0.9 && result.impulseResponse.count == PluginMeasurement.impulseFrames)
    #expect(result.reverberation == nil)
  }

  @Test func `aliases are those of harmonics above half the rate`() {
    let wire = measure { $0 }
    #expect(wire.frequencyTones.allSatisfy { $0.aliases < -120 })
    for tone in wire.frequencyTones {
      #expect(tone.hertz > 12_000 ? tone.distortion.isNaN : tone.distortion < -120, "\(tone)")
    }
    let clipped = measure { $0.map { min(0.2, max(-0.2, $0)) } }
    for tone in clipped.frequencyTones where tone.hertz > 3_000 {
      #expect(tone.aliases > -40, "\(tone)")
    }
    // The seventh harmonic of a polynomial of order 3 does not exist.
    let cubed = measure { $0.map { $0 + 0.1 * $0 * $0 * $0 } }
    for tone in cubed.frequencyTones where tone.hertz < 7_500 {
      #expect(tone.aliases < -110, "\(tone)")
    }
  }

  @Test func `intermodulation of a polynomial is its coefficients`() {
    // x + c x^2 with amplitudes a and b: side bands of amplitude c a b on both sides of b.
    let c: Float = 0.02
    let result = measure { $0.map { $0 + c * $0 * $0 } }.intermodulation
    let peak = pow(10, MeasurementSignal.frequencyLevel / 20)
    let sides = 20 * log10(Double(c) * 0.8 * peak) + 10 * log10(2)
    #expect(abs(result.modulation - sides) < 0.1, "\(result), \(sides)")
    // The difference tone has c a b, against two tones of amplitude a = b.
    let difference = 20 * log10(Double(c) * 0.5 * peak) - 10 * log10(2)
    #expect(abs(result.difference - difference) < 0.1, "\(result), \(difference)")
  }

  @Test func `attack and release of a gain that follows the level are measured`() {
    // The gain approaches 1/4 above -20 dBFS and 1 below with a time constant of 50 ms.
    let result = measure { samples in
      var (gain, level) = (1.0, 0.0)
      let pace = 1 - exp(-1 / (0.05 * 48_000))
      return samples.map { sample in
        level = max(abs(Double(sample)), level * 0.999)
        gain += ((level > 0.1 ? 0.25 : 1) - gain) * pace
        return Float(gain) * sample
      }
    }.step
    #expect(abs(result.gains[1] + 12.04) < 0.1 && abs(result.gains[2]) < 0.1, "\(result.gains)")
    // From 1 down to within 1 dB of 1/4: 0.75 exp(-t / 50 ms) = 0.0305.
    #expect(abs(result.attackSeconds - 0.16) < 0.02, "\(result.attackSeconds)")
    // From 1/4 up to -1 dB of 1: exp(-t / 50 ms) = 0.109 / 0.75, after the level has fallen.
    #expect(abs(result.releaseSeconds - 0.15) < 0.06, "\(result.releaseSeconds)")
  }

  @Test func `decay and echo density are those of decaying noise`() throws {
    let rate = 48_000.0
    func tail(_ isDense: Bool) -> [Double] {
      let hiss = noise(1 << 17, seed: 5)
      return hiss.enumerated().map { index, value in
        // 60 dB in 1.2 s.
        let gain = pow(10, -3 * Double(index) / rate / 1.2)
        return isDense || index % 400 == 0 ? Double(value) * gain : 0
      } + [Double](repeating: 0, count: 1 << 17)
    }
    let dense = try #require(Reverberation(tail(true), from: 0, sampleRateHz: 48_000))
    for octave in dense.octaves {
      // A low octave has few independent values.
      let tolerance = octave.hertz < 500 ? 0.25 : 0.12
      #expect(abs(try #require(octave.seconds) - 1.2) < tolerance, "\(octave)")
    }
    // Uniform noise has more samples beyond its deviation than Gaussian noise.
    #expect(dense.densities.allSatisfy { $0.value > 0.9 }, "\(dense.densities)")
    let sparse = try #require(Reverberation(tail(false), from: 0, sampleRateHz: 48_000))
    #expect(sparse.densities.allSatisfy { $0.value < 0.05 }, "\(sparse.densities)")
    #expect(
      Reverberation([1] + [Double](repeating: 0, count: 1 << 18 - 1), from: 0, sampleRateHz: 48_000)
        == nil)
  }

  @Test func `silence and short outputs give values`() {
    let result = measure { _ in [] }
    #expect(result.noise == -.infinity && result.tones[0].level == -.infinity)
    // Rounding errors of the transform.
    #expect(result.response.allSatisfy { $0.gain < -250 })
  }
}
