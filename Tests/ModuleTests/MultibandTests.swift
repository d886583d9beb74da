// MultibandTests.swift: bands that add up, and separate compressors. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct MultibandTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("multiband-compressor") }

  /// The same for each band.
  private func all(_ values: [(String, Float)]) -> [(String, Float)] {
    [("output_gain", 0)]
      + (1 ... 4).flatMap { band in values.map { ("band_\(band)_\($0.0)", $0.1) } }
  }

  /// The response at a frequency, in dB, from an impulse response.
  private func gain(_ response: [Float], _ frequencyHz: Double, _ rate: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (frame, sample) in response.enumerated() {
      let angle = 2 * .pi * frequencyHz / rate * Double(frame)
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return 10 * log10(real * real + imaginary * imaginary)
  }

  private let frequencies = (0 ... 60).map { 20 * pow(1_000, Double($0) / 60) }

  @Test(
    arguments: [44_100.0, 48_000, 192_000],
    [[120, 900, 5_000], [30, 100, 1_000], [1_000, 1_000, 1_000], [200, 5_000, 16_000]] as [[Float]])
  func `the bands add up to a flat response`(rate: Double, crossovers: [Float]) throws {
    let values = all([("bypass", 1)]) + crossovers.enumerated().map { ("crossover_\($0 + 1)", $1) }
    let length = Int(rate * 0.4)
    let instance = try ModuleInstance(library, values, sampleRateHz: rate)
    let response = try instance.render([Signals.impulse(length)])[0]
    let worst = frequencies.map { abs(gain(response, $0, rate)) }.max() ?? 1
    #expect(worst < 0.01, "\(worst) dB")
  }

  @Test func `adjacent bands cross at -6 dB and fall by 24 dB an octave`() throws {
    let crossovers: [(String, Float)] = [
      ("crossover_1", 200), ("crossover_2", 1_500), ("crossover_3", 7_000),
    ]
    let responses = try (1 ... 4).map { band in
      let values = crossovers + all([("bypass", 1)]) + [("band_\(band)_solo", 1 as Float)]
      return try ModuleInstance(library, values).render([Signals.impulse(24_000)])[0]
    }
    for (index, crossover) in crossovers.enumerated() {
      for band in [index, index + 1] {
        let level = gain(responses[band], Double(crossover.1), 48_000)
        #expect(abs(level + 6.02) < 0.05, "band \(band) at \(crossover.1): \(level)")
      }
    }
    // Two octaves below and above the middle band's edges; close to 1 / (1 + 4^4) of the voltage.
    #expect(abs(gain(responses[1], 50, 48_000) + 48.3) < 0.5)
    #expect(abs(gain(responses[2], 375, 48_000) + 48.3) < 0.5)
    #expect(gain(responses[1], 6_000, 48_000) < -47)
  }

  @Test(arguments: [(1, 50.0), (2, 450), (3, 2_700), (4, 14_000)])
  func `each band has its own compression curve and readout`(
    band: Int, frequencyHz: Double
  ) throws {
    let others = all([("threshold", 0), ("release", 2_500), ("attack", 1)])
    let own: [(String, Float)] = [
      ("band_\(band)_threshold", -30), ("band_\(band)_ratio", 4), ("band_\(band)_gain", 3),
      ("band_\(band)_solo", 1), ("knee", 0),
    ]
    // Solo, because the neighbours do not reduce the signal that leaks into them at -24 dB.
    let input = Signals.sine(frequencyHz, 96_000, peak: 0.5)
    let instance = try ModuleInstance(library, others + own)
    let output = try instance.render([input])[0]
    let level = Measure.levelDecibels(of: frequencyHz, in: output.suffix(48_000))
    // 23.98 dB above the threshold become 5.99. The edges of a band attenuate slightly before.
    let reduction = (30 + Measure.decibels(0.5)) * 0.75
    #expect(abs(level - (Measure.decibels(0.5) - reduction + 3)) < 0.6, "\(level)")
    let readouts = instance.readouts(4)
    #expect(abs(Double(readouts[band - 1]) - reduction) < 0.6, "\(readouts)")
    #expect(readouts.enumerated().allSatisfy { $0 == band - 1 || $1 < 0.01 })
  }

  @Test func `loud bass does not reduce the bands above it`() throws {
    let bass = Signals.sine(50, 48_000, peak: 0.8)
    let voice = Signals.sine(2_500, 48_000, peak: 0.01)
    let input = zip(bass, voice).map { $0 + $1 }
    let output = try ModuleInstance(library, all([("threshold", -30), ("ratio", 10)])).render([
      input
    ])[0]
    let captured = output.suffix(24_000)
    #expect(abs(Measure.levelDecibels(of: 2_500, in: captured) - Measure.decibels(0.01)) < 0.05)
    #expect(Measure.levelDecibels(of: 50, in: captured) < Measure.decibels(0.8) - 15)
  }

  @Test func `a bypassed band passes unchanged, and an amount of 0 does so for all`() throws {
    let input = [Signals.noise(24_000, peak: 0.9, seed: 8)]
    let hard = all([("threshold", -60), ("ratio", 20), ("gain", 6)])
    let bypassed = try ModuleInstance(library, hard + all([("bypass", 1)])).render(input)
    let none = try ModuleInstance(library, hard + [("amount", 0)]).render(input)
    #expect(bypassed == none)
    let flat = try ModuleInstance(library, all([("ratio", 1)])).render(input)
    #expect(bypassed == flat)
    #expect(abs(Measure.rmsDecibels(flat[0]) - Measure.rmsDecibels(input[0])) < 0.1)
  }

  @Test func `crossovers move without a click`() throws {
    let input = Signals.sine(300, 48_000, peak: 0.5)
    let values = all([("bypass", 1)])
    let output = try ModuleInstance(library, values).render(
      [input],
      changes: [.init(at: 24_000, "crossover_1", 500), .init(at: 30_000, "crossover_2", 250)])[0]
    // A 300 Hz sine of this level moves by 0.0196 a frame; a change of its phase makes this slightly more.
    let steps = zip(output[10_000...], output[10_001...]).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.0196 * 1.2, "\(writeWAV([output], named: "multiband-glide"))")
    #expect(
      abs(Measure.levelDecibels(of: 300, in: output.suffix(9_000)) - Measure.decibels(0.5)) < 0.01)
  }

  @Test func `silence in gives silence out after the filters, and NaN has no later effect`() throws
  {
    var input = Signals.noise(9_000, seed: 3) + Signals.silence(40_000)
    input[50] = .nan
    input[60] = -.infinity
    let output = try ModuleInstance(library).render([input])[0]
    #expect(output.allSatisfy { $0.isFinite })
    #expect(output.suffix(2_000).allSatisfy { $0 == 0 })
  }
}
