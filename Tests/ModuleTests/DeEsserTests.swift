// DeEsserTests.swift: amount, speed and range of the reduction. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct DeEsserTests {
  private let library: ModuleLibrary
  // A long release, so that a sine's zero crossings have no effect.
  private let steady: [(String, Float)] = [
    ("reference", 0), ("threshold", -40), ("ratio", 20), ("attack", 1), ("release", 500),
  ]

  init() throws { library = try ModuleLibrary("de-esser") }

  /// Returns the gain of a sine in dB, and the readout.
  private func gain(
    of frequencyHz: Double, peak: Double, _ values: [(String, Float)]
  ) throws -> (decibels: Double, readout: Double) {
    let input = Signals.sine(frequencyHz, 48_000, peak: peak)
    let instance = try ModuleInstance(library, steady + values)
    let output = try instance.render([input])[0].suffix(24_000)
    let decibels =
      Measure.levelDecibels(of: frequencyHz, in: output)
      - Measure.levelDecibels(of: frequencyHz, in: input.suffix(24_000))
    return (decibels, Double(instance.readouts(2)[0]))
  }

  /// The shelf's gain in dB, by its formula: the frequency as the bilinear transform sees it.
  private func shelf(_ decibels: Double, at frequencyHz: Double, _ cornerHz: Double) -> Double {
    let w = tan(.pi * frequencyHz / 48_000) / tan(.pi * cornerHz / 48_000)
    let power = pow(10, -decibels / 10)
    return 10 * log10((1 + power * pow(w, 4)) / (1 + pow(w, 4)))
  }

  @Test(arguments: [4.0, 10, 20], [3_000.0, 5_000, 8_000, 12_000, 18_000])
  func `levels above the frequency are reduced as in the shelf's formula`(
    range: Double, frequencyHz: Double
  ) throws {
    let result = try gain(
      of: frequencyHz, peak: 0.7, [("range", Float(range)), ("frequency", 5_000)])
    #expect(abs(result.readout - range) < 0.05)
    #expect(abs(result.decibels - shelf(result.readout, at: frequencyHz, 5_000)) < 0.1)
  }

  @Test(arguments: [Float(2), 4, 10])
  func `the reduction follows the ratio above the threshold`(ratio: Float) throws {
    // Far above the corner the filter passes 12 kHz within 0.02 dB: 20 dB above the threshold.
    let result = try gain(
      of: 12_000, peak: 0.1,
      [("ratio", ratio), ("range", 24), ("frequency", 2_000), ("release", 500)])
    #expect(abs(result.readout - 20 * (1 - 1 / Double(ratio))) < 0.15, "\(result.readout)")
  }

  @Test func `below the threshold every bit passes without delay`() throws {
    let input = [
      Signals.noise(9_000, peak: 0.002, seed: 1), Signals.noise(9_000, peak: 0.001, seed: 2),
    ]
    let instance = try ModuleInstance(library, steady)
    #expect(try instance.render(input) == input)
    #expect(instance.latencyFrames == 0)
  }

  @Test func `a signal above the frequency does not change low frequencies`() throws {
    let low = Signals.sine(400, 48_000, peak: 0.3)
    let high = Signals.sine(9_000, 48_000, peak: 0.3)
    let both = zip(low, high).map { $0 + $1 }
    let output = try ModuleInstance(library, steady + [("range", 12)]).render([both])[0]
    let lowLevel = Measure.levelDecibels(of: 400, in: output.suffix(24_000))
    #expect(abs(lowLevel - Measure.decibels(0.3)) < 0.02)
    #expect(Measure.levelDecibels(of: 9_000, in: output.suffix(24_000)) < Measure.decibels(0.3) - 8)
    let wide = try ModuleInstance(library, steady + [("range", 12), ("band", 1)]).render([both])[0]
    for frequencyHz in [400.0, 9_000] {
      let level = Measure.levelDecibels(of: frequencyHz, in: wide.suffix(24_000))
      #expect(abs(level - Measure.decibels(0.3) + 12) < 0.1, "\(level)")
    }
  }

  @Test func `relative to the voice, the reduction is the same at every level`() throws {
    // A vowel and an s-sound alternate, a quarter of a second each.
    let vowel = Signals.sine(300, 48_000, peak: 0.4)
    let hiss = Signals.sine(8_000, 48_000, peak: 0.3)
    let voice = vowel.indices.map { $0 / 6_000 % 4 == 3 ? hiss[$0] : vowel[$0] }
    let values: [(String, Float)] = [("reference", 1), ("threshold", -20), ("release", 60)]
    var losses: [Double] = []
    for gain in [Float(1), 0.1] {
      let input = voice.map { $0 * gain }
      let output = try ModuleInstance(library, values).render([input])[0]
      let part = 43_000 ..< 47_000
      losses.append(Measure.rmsDecibels(output[part]) - Measure.rmsDecibels(input[part]))
    }
    #expect(losses[0] < -6)
    #expect(abs(losses[0] - losses[1]) < 0.1, "\(losses)")
  }

  @Test func `the reduction has the set attack and release times`() throws {
    let input =
      Signals.sine(9_000, 24_000, peak: 0.7) + Signals.sine(9_000, 24_000, peak: 0.000_7)
    let instance = try ModuleInstance(
      library,
      [
        ("reference", 0), ("threshold", -40), ("ratio", 20), ("range", 20), ("attack", 5),
        ("release", 100),
      ])
    var readouts: [Float] = []
    for frame in stride(from: 0, to: 48_000, by: 48) {
      _ = try instance.render([Array(input[frame ..< frame + 48])], blocks: [48])
      readouts.append(instance.readouts(2)[0])
    }
    // After 5 ms the reduction is 63 % of 20 dB. 105 ms after the end of the signal, 37 % remain.
    #expect(abs(readouts[4] - 20 * Float(1 - exp(-1.0))) < 1, "\(readouts[4])")
    #expect(abs(readouts[605] - 20 * Float(exp(-1.0))) < 0.6, "\(readouts[605])")
  }

  @Test func `output and removed signal add up to the input`() throws {
    let input = Signals.noise(24_000, peak: 0.6, seed: 7)
    let kept = try ModuleInstance(library, steady).render([input])[0]
    let lost = try ModuleInstance(library, steady + [("listen", 2)]).render([input])[0]
    let worst = zip(zip(kept, lost), input).map { abs($0.0 + $0.1 - $1) }.max() ?? 1
    #expect(worst < 1e-6)
    #expect(Measure.rmsDecibels(lost) > -30)
    let measured = try ModuleInstance(library, steady + [("listen", 1)])
      .render([Signals.sine(500, 24_000)])[0]
    #expect(Measure.rmsDecibels(measured.suffix(12_000)) < -40)
  }

  @Test func `silence follows at once after the filter, and NaN has no later effect`() throws {
    var input = Signals.noise(9_000, seed: 3) + Signals.silence(9_000)
    input[50] = .nan
    input[60] = -.infinity
    let output = try ModuleInstance(library, steady).render([input])[0]
    #expect(output.dropFirst(61).allSatisfy { $0.isFinite })
    #expect(output.suffix(4_000).allSatisfy { $0 == 0 })
  }
}
