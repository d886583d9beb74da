// PitchShifterTests.swift: pitch, and purity. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct PitchShifterTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("pitch-shifter") }

  private func shifted(
    _ input: [[Float]], _ values: [(String, Float)], rate: Double = 48_000
  ) throws -> [[Float]] {
    try ModuleInstance(library, values, sampleRateHz: rate).render(input, blocks: [512])
  }

  /// Returns the deviation of a tone from its target, by its phase drift over a second, in cents.
  private func cents(_ signal: ArraySlice<Float>, from frequencyHz: Double) -> Double {
    let half = signal.count / 2
    let phases = [signal.prefix(half), signal.suffix(half)].map { part in
      var (real, imaginary) = (0.0, 0.0)
      for frame in part.indices {
        let place = Double(frame - part.startIndex) / Double(half)
        let turns = frequencyHz * Double(frame) / 48_000
        let weight = 0.5 - 0.5 * cos(2 * .pi * place)
        real += weight * Double(part[frame]) * cos(2 * .pi * turns)
        imaginary -= weight * Double(part[frame]) * sin(2 * .pi * turns)
      }
      return atan2(imaginary, real) / (2 * .pi)
    }
    let drift = phases[1] - phases[0]
    let hertz = (drift - drift.rounded()) * 48_000 / Double(half)
    return 1_200 * log2((frequencyHz + hertz) / frequencyHz)
  }

  @Test func `without a shift the signal is only delayed, by the latency`() throws {
    let shifter = try ModuleInstance(library)
    let input = [Signals.noise(20_000, peak: 0.5, seed: 1), Signals.noise(20_000, seed: 2)]
    let output = try shifter.render(input)
    let latency = shifter.latencyFrames
    #expect(latency == 4_608)
    for (before, after) in zip(input, output) {
      let errors = zip(before, after.dropFirst(latency)).dropFirst(4_096).map { $0 - $1 }
      #expect(Measure.rmsDecibels(errors) < -110)
    }
  }

  @Test func `a mix of 0 is the input after the latency, bit for bit`() throws {
    let input = Signals.noise(12_000, seed: 1)
    let output = try shifted([input], [("mix", 0), ("semitones", 7)])[0]
    #expect(output.dropFirst(4_608) == input.dropLast(4_608))
  }

  @Test(
    arguments: [(Float(12), Float(0)), (7, 0), (1, 0), (0, 37), (-1, -50), (-5, 0), (-12, 0)],
    [110.0, 440, 997.3, 2_500])
  func `a shifted tone has the correct pitch within a cent, and the same level and purity`(
    shift: (semitones: Float, cents: Float), frequencyHz: Double
  ) throws {
    let input = Signals.sine(frequencyHz, 80_000, peak: 0.5)
    let output = try shifted([input], [("semitones", shift.semitones), ("cents", shift.cents)])[0]
    let wanted = frequencyHz * pow(2, Double(shift.semitones + shift.cents / 100) / 12)
    let steady = output[14_000...]
    #expect(abs(cents(steady.prefix(48_000), from: wanted)) < 0.5)
    let level = Measure.levelDecibels(of: wanted, in: steady.prefix(48_000))
    #expect(abs(level + 6.02) < 0.3, "\(level) dB")
    let spurs = Spectrum(steady).peakDecibels(awayFrom: [wanted], marginHz: 8)
    #expect(spurs < -66, "\(spurs) dB. \(writeWAV([output], named: "pitch"))")
  }

  @Test(arguments: [Float(-24), -19, 19, 24]) func `two octaves up and down`(
    semitones: Float
  ) throws {
    let output = try shifted([Signals.sine(880, 80_000, peak: 0.5)], [("semitones", semitones)])[0]
    let wanted = 880 * pow(2, Double(semitones) / 12)
    #expect(abs(cents(output[14_000...].prefix(48_000), from: wanted)) < 0.5)
    let spurs = Spectrum(output[14_000...]).peakDecibels(awayFrom: [wanted], marginHz: 8)
    #expect(spurs < -60, "\(spurs) dB")
  }

  @Test func `every note of a chord is shifted separately`() throws {
    let notes = [220.0, 277.18, 329.63, 440]
    let chord = notes.map { Signals.sine($0, 80_000, peak: 0.2) }
    let sum = chord[0].indices.map { frame in chord.reduce(0) { $0 + $1[frame] } }
    let output = try shifted([sum], [("semitones", 5)])[0][14_000...]
    let ratio = pow(2, 5.0 / 12)
    for note in notes {
      let level = Measure.levelDecibels(of: note * ratio, in: output.prefix(48_000))
      #expect(abs(level + 13.98) < 0.5, "\(note) Hz: \(level) dB")
    }
    let rest = Spectrum(output).peakDecibels(awayFrom: notes.map { $0 * ratio }, marginHz: 10)
    #expect(rest < -50, "\(rest) dB")
  }

  @Test func `the stereo image is preserved: both sides keep their levels and phases`() throws {
    let left = Signals.sine(440, 48_000, peak: 0.4)
    let output = try shifted([left, left.map { -0.5 * $0 }], [("semitones", -4)])
    let difference = zip(output[0], output[1]).map { 0.5 * $0 + $1 }
    #expect(Measure.peakDecibels(difference) < -110)
    #expect(Measure.rmsDecibels(output[0].suffix(20_000)) > -12)
    let silent = try shifted([left, Signals.silence(48_000)], [("semitones", 3)])
    #expect(silent[1].allSatisfy { $0 == 0 })
  }

  /// Pulses through two resonances, like a vowel.
  private func vowel(_ frequencyHz: Double, _ frameCount: Int) -> [Float] {
    var signal = [Double](repeating: 0, count: frameCount)
    for pulse in 0 ..< Int(Double(frameCount) / 48_000 * frequencyHz) {
      signal[Int((Double(pulse) * 48_000 / frequencyHz).rounded())] = 1
    }
    for centre in [700.0, 2_400] {
      let radius = exp(-90 * Double.pi / 48_000)
      let turn = 2 * radius * cos(2 * Double.pi * centre / 48_000)
      var (one, two) = (0.0, 0.0)
      for frame in signal.indices {
        let next = signal[frame] + turn * one - radius * radius * two
        (one, two) = (next, one)
        signal[frame] = next
      }
    }
    let peak = signal.map { abs($0) }.max() ?? 1
    return signal.map { Float(0.5 * $0 / peak) }
  }

  /// The centre of gravity of the power between two frequencies.
  private func centre(_ signal: ArraySlice<Float>, fromHz: Double, toHz: Double) -> Double {
    let spectrum = Spectrum(signal)
    var (moment, power) = (0.0, 0.0)
    for (bin, amplitude) in spectrum.amplitudes.enumerated() {
      let frequencyHz = Double(bin) * spectrum.binWidthHz
      guard frequencyHz >= fromHz, frequencyHz <= toHz else { continue }
      moment += frequencyHz * amplitude * amplitude
      power += amplitude * amplitude
    }
    return moment / power
  }

  @Test(arguments: [Float(-5), 7]) func `formants stay in place if requested`(
    semitones: Float
  ) throws {
    let input = vowel(120, 80_000)
    let before = centre(input[14_000...], fromHz: 300, toHz: 1_300)
    let kept = try shifted([input], [("semitones", semitones), ("formants", 1)])[0][14_000...]
    let moved = try shifted([input], [("semitones", semitones)])[0][14_000...]
    let ratio = pow(2, Double(semitones) / 12)
    #expect(abs(centre(kept, fromHz: 300, toHz: 1_300) / before - 1) < 0.08)
    #expect(abs(centre(moved, fromHz: 300, toHz: 1_500) / before / ratio - 1) < 0.08)
    let level = Measure.rmsDecibels(kept) - Measure.rmsDecibels(input[14_000...])
    // A third fewer partials carry less under the same curve.
    #expect(abs(level) < 4.5, "\(level) dB")
  }

  @Test func `a change does not click`() throws {
    let output = try ModuleInstance(library).render(
      [Signals.sine(440, 60_000, peak: 0.25)],
      changes: [.init(at: 20_000, "semitones", 4), .init(at: 40_000, "mix", 50)])[0]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[12_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: "pitch-change"))")
  }

  @Test(arguments: [16_000.0, 44_100, 96_000]) func `the shift is the same at every rate`(
    rate: Double
  ) throws {
    let input = Signals.sine(440, Int(1.5 * rate), peak: 0.5, sampleRateHz: rate)
    let output = try shifted([input], [("semitones", 7)], rate: rate)[0].suffix(Int(rate))
    let level = Measure.levelDecibels(
      of: 440 * pow(2, 7.0 / 12), in: output, sampleRateHz: rate)
    #expect(abs(level + 6.02) < 0.3, "\(level) dB")
  }

  @Test func `after the input ends, the output becomes silent, even after NaN`() throws {
    var input = Signals.noise(20_000) + Signals.silence(10_000)
    input[5_000] = .nan
    input[6_000] = .infinity
    let output = try shifted([input], [("semitones", 3), ("formants", 1)])[0]
    #expect(output.allSatisfy { $0.isFinite })
    #expect(output[(20_000 + 2 * 4_608)...].allSatisfy { $0 == 0 })
  }
}
