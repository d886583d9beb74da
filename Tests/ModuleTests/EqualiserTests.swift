// EqualiserTests.swift: responses compared with the analogue originals. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

/// The analogue originals, and the allowed deviation of a band.
enum Original: Float, CaseIterable {
  case bell = 1
  case lowShelf
  case highShelf
  case highPass
  case lowPass
  case bandPass
  case notch

  var hasGain: Bool { self == .bell || self == .lowShelf || self == .highShelf }

  /// The magnitude at a multiple of the band's frequency, straight from the transfer function.
  func magnitude(at x: Double, gainDecibels: Double, q: Double) -> Double {
    let a = pow(10, gainDecibels / 40)
    let root = a.squareRoot()
    // (s² + s + 1) with s = ix is (real: constant - square x², imaginary: linear x).
    func size(_ square: Double, _ linear: Double, _ constant: Double) -> Double {
      hypot(constant - square * x * x, linear * x)
    }
    switch self {
    case .bell: return size(1, a / q, 1) / size(1, 1 / (a * q), 1)
    case .lowShelf: return a * size(1, root / q, a) / size(a, root / q, 1)
    case .highShelf: return a * size(a, root / q, 1) / size(1, root / q, a)
    case .highPass: return x * x / size(1, 1 / q, 1)
    case .lowPass: return 1 / size(1, 1 / q, 1)
    case .bandPass: return x / q / size(1, 1 / q, 1)
    case .notch: return size(1, 0, 1) / size(1, 1 / q, 1)
    }
  }

  /// The error allowed up to 20 kHz at 48 kHz, in dB, at frequencies where the original is above -24 dB.
  func tolerance(frequencyHz: Double) -> Double {
    switch self {
    case .bell, .lowShelf, .highShelf, .notch, .lowPass:
      frequencyHz <= 1_000 ? 0.1 : frequencyHz <= 2_000 ? 0.15 : 0.37
    case .highPass: frequencyHz <= 1_000 ? 0.05 : frequencyHz <= 2_000 ? 0.15 : 1.1
    // Only the skirt above the band, where the gain is already reduced.
    case .bandPass: frequencyHz <= 100 ? 0.1 : 0.35
    }
  }
}

/// Gains in dB at frequencies, from the response to an impulse.
private func response(
  _ values: [(String, Float)], at frequenciesHz: [Double], sampleRateHz: Double = 48_000
) throws -> [Double] {
  let count = 32_768
  let instance = try ModuleInstance(
    ModuleLibrary("parametric-eq"), values, sampleRateHz: sampleRateHz)
  let output = try instance.render([Signals.impulse(count)], blocks: [1_024])[0]
  let end = (output.lastIndex { abs($0) > 1e-9 } ?? 0) + 1
  return frequenciesHz.map { frequencyHz in
    // Horner's scheme: the polynomial of the response at one point of the unit circle.
    let turn = -2 * Double.pi * frequencyHz / sampleRateHz
    let (c, s) = (cos(turn), sin(turn))
    var (real, imaginary) = (0.0, 0.0)
    for sample in output[..<end].reversed() {
      (real, imaginary) = (real * c - imaginary * s + Double(sample), real * s + imaginary * c)
    }
    return Measure.decibels(hypot(real, imaginary))
  }
}

private func band(_ kind: Float, _ frequencyHz: Double, _ gain: Double, _ q: Double)
  -> [(String, Float)]
{
  [
    ("band_3_type", kind), ("band_3_frequency", Float(frequencyHz)), ("band_3_gain", Float(gain)),
    ("band_3_q", Float(q)),
  ]
}

/// The coefficients `b0 b1 b2 a0 a1 a2` of the Audio EQ Cookbook, by the number of the type.
private func cookbook(
  _ kind: Int, _ frequencyHz: Double, _ gain: Double, _ q: Double, _ sampleRateHz: Double
) -> [Double] {
  let w = 2 * Double.pi * frequencyHz / sampleRateHz
  let (c, alpha, a) = (cos(w), sin(w) / (2 * q), pow(10, gain / 40))
  let root = 2 * a.squareRoot() * alpha
  switch kind {
  case 1: return [1 + alpha * a, -2 * c, 1 - alpha * a, 1 + alpha / a, -2 * c, 1 - alpha / a]
  case 2:
    return [
      a * (a + 1 - (a - 1) * c + root), 2 * a * (a - 1 - (a + 1) * c),
      a * (a + 1 - (a - 1) * c - root), a + 1 + (a - 1) * c + root, -2 * (a - 1 + (a + 1) * c),
      a + 1 + (a - 1) * c - root,
    ]
  case 3:
    return [
      a * (a + 1 + (a - 1) * c + root), -2 * a * (a - 1 + (a + 1) * c),
      a * (a + 1 + (a - 1) * c - root), a + 1 - (a - 1) * c + root, 2 * (a - 1 - (a + 1) * c),
      a + 1 - (a - 1) * c - root,
    ]
  case 4: return [(1 + c) / 2, -1 - c, (1 + c) / 2, 1 + alpha, -2 * c, 1 - alpha]
  case 5: return [(1 - c) / 2, 1 - c, (1 - c) / 2, 1 + alpha, -2 * c, 1 - alpha]
  case 6: return [alpha, 0, -alpha, 1 + alpha, -2 * c, 1 - alpha]
  case 7: return [1, -2 * c, 1, 1 + alpha, -2 * c, 1 - alpha]
  default: return [1 - alpha, -2 * c, 1 + alpha, 1 + alpha, -2 * c, 1 - alpha]
  }
}

/// Filters by the direct form, in double precision.
private func filtered(_ input: [Float], _ c: [Double]) -> [Float] {
  var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
  return input.map { sample in
    let x = Double(sample)
    let y = (c[0] * x + c[1] * x1 + c[2] * x2 - c[4] * y1 - c[5] * y2) / c[3]
    (x1, x2, y1, y2) = (x, x1, y, y1)
    return Float(y)
  }
}

@Suite struct EqualiserTests {
  private let audible = (0 ..< 31).map { 20 * pow(1_000, Double($0) / 30) }

  @Test(arguments: Original.allCases, [100.0, 1_000, 2_000, 5_000, 10_000])
  func `a band follows its analogue original up to 20 kHz`(
    original: Original, frequencyHz: Double
  ) throws {
    for q in original.hasGain && original != .bell ? [0.5, 0.7071] : [0.5, 0.7071, 2, 8] {
      for gain in original.hasGain ? [-12.0, -6, 6, 12] : [0] {
        let values = band(original.rawValue, frequencyHz, gain, q)
        let measured = try response(values, at: audible)
        for (point, level) in zip(audible, measured) {
          let wanted = Measure.decibels(
            original.magnitude(at: point / frequencyHz, gainDecibels: gain, q: q))
          guard wanted > -24 else { continue }
          #expect(
            abs(level - wanted) < original.tolerance(frequencyHz: frequencyHz),
            "\(original) \(gain) dB, Q \(q): \(level) dB at \(point) Hz, not \(wanted)")
        }
      }
    }
  }

  @Test(arguments: 1 ... 8, [44_100.0, 48_000, 96_000])
  func `the bilinear design renders the biquads of the Audio EQ Cookbook`(
    kind: Int, sampleRateHz: Double
  ) throws {
    let input = Signals.noise(4_000, peak: 0.5)
    for frequencyHz in [40.0, 1_000, 15_000] {
      for (gain, q) in [(9.0, 0.7), (-14, 3), (3, 12)] {
        let values = band(Float(kind), frequencyHz, gain, q) + [("design", 1)]
        let output = try ModuleInstance(
          ModuleLibrary("parametric-eq"), values, sampleRateHz: sampleRateHz
        ).render([input])[0]
        let wanted = filtered(
          input, cookbook(kind, frequencyHz, Double(Float(gain)), Double(Float(q)), sampleRateHz))
        let error = zip(output, wanted).map { abs($0 - $1) }.max() ?? 1
        #expect(error < 1e-5, "\(kind) at \(frequencyHz) Hz, \(gain) dB, Q \(q): \(error)")
      }
    }
  }

  @Test func `a new design takes effect without a new value of a band`() throws {
    let input = Signals.noise(40_000, peak: 0.5)
    let values = band(1, 15_000, 12, 1)
    let library = try ModuleLibrary("parametric-eq")
    let changed = try ModuleInstance(library, values).render(
      [input], changes: [.init(at: 10_000, "design", 1)])[0]
    let bilinear = try ModuleInstance(library, values + [("design", 1)]).render([input])[0]
    #expect(zip(changed[30_000...], bilinear[30_000...]).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(zip(changed[..<9_000], bilinear[..<9_000]).contains { abs($0 - $1) > 0.01 })
  }

  @Test(arguments: [50.0, 500, 5_000, 15_000])
  func `a bell reaches its gain at its frequency`(frequencyHz: Double) throws {
    for gain in [-24.0, -3, 3, 24] {
      let level = try response(band(1, frequencyHz, gain, 3), at: [frequencyHz])[0]
      #expect(abs(level - gain) < 0.01)
    }
  }

  @Test(arguments: [Float(1), 2, 3])
  func `a cut with the same values cancels the boost`(kind: Float) throws {
    let values =
      band(kind, 3_000, 9, 0.7)
      + [
        ("band_4_type", kind), ("band_4_frequency", 3_000), ("band_4_gain", -9), ("band_4_q", 0.7),
      ]
    let input = Signals.noise(10_000, peak: 0.5)
    let output = try ModuleInstance(ModuleLibrary("parametric-eq"), values).render([input])[0]
    #expect(zip(output, input).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func `a notch is deep`() throws {
    #expect(try response(band(7, 1_000, 0, 2), at: [1_000])[0] < -80)
  }

  @Test func `bands in series add up`() throws {
    let first = band(1, 300, 5, 1)
    let second: [(String, Float)] = [
      ("band_6_type", 3), ("band_6_frequency", 4_000), ("band_6_gain", -7), ("band_6_q", 0.7),
    ]
    let third: [(String, Float)] = [("band_8_type", 5), ("band_8_frequency", 9_000)]
    let parts = try [first, second, third].map { try response($0, at: audible) }
    let whole = try response(first + second + third + [("output_gain", 3)], at: audible)
    for index in audible.indices {
      let sum = parts.reduce(3) { $0 + $1[index] }
      #expect(abs(whole[index] - sum) < 0.001)
    }
  }

  @Test func `flat and switched-off bands pass every bit`() throws {
    let input = [Signals.noise(20_000), Signals.noise(20_000, peak: 1e-3, seed: 2)]
    let library = try ModuleLibrary("parametric-eq")
    #expect(try ModuleInstance(library).render(input) == input)
    let off = (1 ... 8).map { ("band_\($0)_type", Float(0)) } + [("band_3_gain", Float(12))]
    #expect(try ModuleInstance(library, off).render(input) == input)
  }

  @Test func `a band that was switched off passes every bit again`() throws {
    let input = [Signals.noise(30_000, seed: 3)]
    let instance = try ModuleInstance(ModuleLibrary("parametric-eq"), band(1, 500, 18, 2))
    let output = try instance.render(input, changes: [.init(at: 10_000, "band_3_type", 0)])[0]
    // The ramp takes 100 ms.
    #expect(output[14_900...] == input[0][14_900...])
    #expect(output[9_000 ..< 10_000] != input[0][9_000 ..< 10_000])
  }

  @Test(arguments: ["band_3_frequency", "band_3_gain", "band_3_q", "band_3_type", "output_gain"])
  func `a change does not click`(symbol: String) throws {
    let values: [(String, Float)] = band(1, 1_000, 12, 2)
    let target: [String: Float] = [
      "band_3_frequency": 8_000, "band_3_gain": -12, "band_3_q": 0.2, "band_3_type": 0,
      "output_gain": -20,
    ]
    let input = Signals.sine(300, 24_000, peak: 0.25)
    let output = try ModuleInstance(ModuleLibrary("parametric-eq"), values).render(
      [input], changes: [.init(at: 12_000, symbol, target[symbol] ?? 0)])[0]
    // A click is energy far above the tone.
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[10_000...]
    #expect(Measure.peakDecibels(high) < -60, "\(writeWAV([output], named: symbol))")
  }

  @Test func `fast modulation never exceeds the gain of the highest resonance`() throws {
    var generator = SplitMix64(seed: 5)
    let changes = stride(from: 0, to: 96_000, by: 32).flatMap { frame in
      [
        ModuleInstance.Change(
          at: frame, "band_3_frequency",
          20 * pow(1_000, Float.random(in: 0 ... 1, using: &generator))),
        .init(at: frame, "band_3_q", .random(in: 0.1 ... 20, using: &generator)),
      ]
    }
    let instance = try ModuleInstance(
      ModuleLibrary("parametric-eq"), [("band_3_type", 5)], maximumFrameCount: 32)
    let output = try instance.render([Signals.noise(96_000)], changes: changes)[0]
    // A resonance of 20 is 26 dB.
    #expect(Measure.peakDecibels(output) < 26)
  }
}
