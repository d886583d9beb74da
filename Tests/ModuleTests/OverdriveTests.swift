// OverdriveTests.swift: the curve, its harmonics and its aliases. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct OverdriveTests {
  private let library: ModuleLibrary
  // Filters completely open.
  private let open: [(String, Float)] = [
    ("low_cut", 10), ("tone", 20_000), ("level", 0), ("mix", 100), ("asymmetry", 0),
  ]

  init() throws { library = try ModuleLibrary("overdrive") }

  /// The gain after the curve that compensates a drive.
  private func makeup(_ drive: Double) -> Double { 1.09 / pow(10, drive / 20) + 0.057 }

  private func render(_ values: [(String, Float)], _ input: [Float]) throws -> [Float] {
    try ModuleInstance(library, open + values).render([input])[0]
  }

  @Test(arguments: [
    (Float(0), -100.0), (12, -100), (24, -90), (36, -65), (48, -60),
  ])
  func `aliases of a full-scale sine of 5 kHz stay below what the README states`(
    drive: Float, limit: Double
  ) throws {
    for asymmetry in [Float(0), 20, 100] {
      let input = Signals.sine(4_999.7, 65_536 + 8_192)
      let output = try render([("drive", drive), ("asymmetry", asymmetry)], input)
      let spectrum = Spectrum(output.suffix(65_536))
      let harmonics = (0 ... 4).map { 4_999.7 * Double($0) }
      let gaps = zip(harmonics, harmonics.dropFirst()).map {
        spectrum.peakDecibels(fromHz: $0 + 15, toHz: $1 - 15)
      }
      #expect((gaps.max() ?? 0) < limit, "\(asymmetry) %: \(gaps)")
    }
  }

  @Test(arguments: [Float(6), 20, 40])
  func `the curve is x / sqrt(1 + x²)`(drive: Float) throws {
    let input = Signals.sine(200, 48_000, peak: 0.7)
    let output = try render([("drive", drive)], input)
    let gain = pow(10, Double(drive) / 20)
    // Compares the peaks, which do not depend on the phase of the filters.
    let makeup = makeup(Double(drive))
    let top = makeup * 0.7 * gain / (1 + pow(0.7 * gain, 2)).squareRoot()
    #expect(abs(Double(output[24_000...].max() ?? 0) - top) < 0.06 * top)
    #expect(abs(Double(output[24_000...].min() ?? 0) + top) < 0.06 * top)
    // The weakest harmonic is compared as well, with the integral of the curve over a cycle.
    let count = 4_096
    let third =
      (0 ..< count).reduce(0.0) { sum, index in
        let angle = 2 * Double.pi * Double(index) / Double(count)
        let x = 0.7 * gain * sin(angle)
        return sum + x / (1 + x * x).squareRoot() * sin(3 * angle)
      } * 2 / Double(count)
    let level = Measure.levelDecibels(of: 600, in: output[24_000...])
    #expect(abs(level - Measure.decibels(makeup * abs(third))) < 0.05, "\(level) dB")
  }

  @Test func `quiet signals have the response of the filters, up to 20 kHz`() throws {
    for toneHz in [100.0, 1_000, 5_000, 12_000, 16_000, 19_900] {
      let input = Signals.sine(toneHz, 48_000, peak: 1e-3)
      let output = try render([("drive", 12), ("level", -3)], input)
      // One-pole filters: the low cut and the DC blocker are high-passes, the tone filter is a low-pass.
      let turn = 2 * Double.pi * toneHz / 48_000
      func lowPass(_ cutoffHz: Double) -> (Double, Double) {
        let share = 1 - exp(-2 * .pi * cutoffHz / 48_000)
        let (re, im) = (1 - (1 - share) * cos(turn), (1 - share) * sin(turn))
        let square = re * re + im * im
        return (share * re / square, -share * im / square)
      }
      func highPass(_ cutoffHz: Double) -> Double {
        hypot(1 - lowPass(cutoffHz).0, lowPass(cutoffHz).1)
      }
      let tone = lowPass(20_000)
      // The curve's mean of two frames at eight times the rate.
      let mean = cos(.pi * toneHz / 384_000)
      let filters = hypot(tone.0, tone.1) * highPass(10) * highPass(8)
      let wanted = -60 + 12 - 3 + Measure.decibels(filters * mean * makeup(12))
      let level = Measure.levelDecibels(of: toneHz, in: output[9_600...])
      #expect(abs(level - wanted) < 0.01, "\(level), not \(wanted) dB at \(toneHz) Hz")
    }
  }

  @Test(arguments: [Float(0), 12, 24, 36, 48])
  func `more drive is not louder`(drive: Float) throws {
    // The filters also change bright and deep music.
    for programme in [Programme.speech, .music, .dense, .pads] {
      let source = Loudness.scaled(programme.channels, to: -23)
      let output = try ModuleInstance(library, [("drive", drive)]).render(source)
      let gain = Loudness.integrated(output) - Loudness.integrated(source)
      #expect(abs(gain) < 2, "\(programme): \(gain) dB")
    }
  }

  @Test func `without asymmetry there are odd harmonics only, with it there are both`() throws {
    let input = Signals.sine(500, 96_000, peak: 0.5)
    let even = try render([("drive", 20)], input)[48_000...]
    let odd = try render([("drive", 20), ("asymmetry", 60)], input)[48_000...]
    let made = Measure.decibels(makeup(20))
    #expect(Measure.levelDecibels(of: 1_500, in: even) - made > -20)
    #expect(Measure.levelDecibels(of: 1_000, in: even) < -100)
    #expect(Measure.levelDecibels(of: 1_000, in: odd) - made > -30)
    let mean = odd.reduce(0.0) { $0 + Double($1) } / 48_000
    #expect(abs(mean) < 1e-4, "no direct current: \(mean)")
  }

  @Test(arguments: [("tone", Float(1_000)), ("low_cut", 300)])
  func `the filters attenuate by 3 dB at their frequencies`(symbol: String, frequencyHz: Float)
    throws
  {
    let input = Signals.sine(Double(frequencyHz), 48_000, peak: 1e-3)
    let with = try render([("drive", 0), (symbol, frequencyHz)], input)[9_600...]
    let without = try render([("drive", 0)], input)[9_600...]
    let taken =
      Measure.levelDecibels(of: Double(frequencyHz), in: with)
      - Measure.levelDecibels(of: Double(frequencyHz), in: without)
    #expect(abs(taken + 3) < 0.35, "\(symbol): \(taken) dB")
  }

  @Test(arguments: [Float(0), 35, 100])
  func `silence stays silence for any asymmetry`(asymmetry: Float) throws {
    let output = try render(
      [("drive", 48), ("asymmetry", asymmetry)], Signals.silence(4_800))
    #expect(output.allSatisfy { $0 == 0 })
  }

  @Test func `after the input ends, the output becomes silent`() throws {
    let input = Signals.noise(9_600) + Signals.silence(96_000)
    let output = try render([("drive", 48), ("asymmetry", 80)], input)
    #expect(output[100_000...].allSatisfy { $0 == 0 })
  }

  @Test func `a mix of 0 passes every bit after the reported latency`() throws {
    let instance = try ModuleInstance(library, [("mix", 0)])
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    let output = try instance.render(input)
    let delay = instance.latencyFrames
    #expect(delay == 47)
    for channel in 0 ..< 2 {
      #expect(output[channel][delay...] == input[channel][..<(9_000 - delay)])
    }
  }

  @Test func `the wet signal has the same delay as the dry one`() throws {
    let instance = try ModuleInstance(library, open + [("drive", 0)])
    let output = try instance.render([Signals.impulse(4_096, peak: 1e-3, at: 1_000)])[0]
    let greatest = output.indices.max { abs(output[$0]) < abs(output[$1]) } ?? 0
    #expect(greatest == 1_000 + instance.latencyFrames)
  }

  @Test(arguments: [
    ("drive", Float(40)), ("asymmetry", 100), ("low_cut", 1_000), ("tone", 20_000),
    ("level", -40), ("mix", 0),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let input = Signals.sine(110, 48_000, peak: 0.02)
    let output = try ModuleInstance(library, [("drive", 10)]).render(
      [input], changes: [.init(at: 24_123, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 10_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: symbol))")
  }
}
