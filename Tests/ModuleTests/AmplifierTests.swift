// AmplifierTests.swift: circuit, harmonics, sag and cabinet of the guitar amplifier. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct AmplifierTests {
  private let library: ModuleLibrary
  private let clean: [(String, Float)] = [
    ("gain", 0), ("master", 0), ("sag", 0), ("cabinet", 0), ("level", 0),
  ]

  init() throws { library = try ModuleLibrary("amplifier") }

  /// The output level of a sine, in dB, after everything has settled.
  private func level(
    _ frequencyHz: Double, peak: Double, _ values: [(String, Float)], rate: Double = 48_000
  ) throws -> Double {
    let count = Int(rate)
    let input = Signals.sine(frequencyHz, count, peak: peak, sampleRateHz: rate)
    let output = try ModuleInstance(library, clean + values, sampleRateHz: rate).render([input])[0]
    return Measure.levelDecibels(of: frequencyHz, in: output.suffix(count / 2), sampleRateHz: rate)
  }

  @Test(
    arguments: [0, 1],
    [[0, 0, 0], [10, 10, 10], [2, 8, 5], [9, 0, 3], [0, 10, 10]] as [[Float]])
  func `the tone stack is that of the circuit`(stack: Int, knobs: [Float]) throws {
    // Everything else in the path is the same for both settings, so their difference does not include it.
    let reference: [Float] = [5, 5, 5]
    func values(_ knobs: [Float]) -> [(String, Float)] {
      [("stack", Float(stack)), ("bass", knobs[0]), ("middle", knobs[1]), ("treble", knobs[2])]
    }
    for frequencyHz in [60.0, 200, 500, 1_000, 3_000, 8_000] {
      let measured =
        try level(frequencyHz, peak: 1e-4, values(knobs))
        - level(frequencyHz, peak: 1e-4, values(reference))
      let expected =
        Circuit.decibels(stack, knobs, frequencyHz)
        - Circuit.decibels(stack, reference, frequencyHz)
      #expect(abs(measured - expected) < 0.1, "\(frequencyHz) Hz: \(measured) \(expected)")
    }
  }

  @Test func `the tone stack is the same at other rates`() throws {
    for rate in [44_100.0, 96_000] {
      let bright = try level(6_000, peak: 1e-4, [("treble", 10)], rate: rate)
      let dark = try level(6_000, peak: 1e-4, [("treble", 0)], rate: rate)
      let expected =
        Circuit.decibels(0, [5, 5, 10], 6_000) - Circuit.decibels(0, [5, 5, 0], 6_000)
      #expect(abs(bright - dark - expected) < 0.1)
    }
  }

  @Test func `gain changes the tone from clean to all harmonics`() throws {
    func distortion(_ gain: Float) throws -> Double {
      let input = Signals.sine(220, 96_000, peak: 0.1)
      let output = try ModuleInstance(library, clean + [("master", -20), ("gain", gain)])
        .render([input])[0].suffix(65_536)
      let spectrum = Spectrum(output)
      let harmonics = (2 ... 20).reduce(0.0) { sum, number in
        let frequencyHz = 220 * Double(number)
        return sum
          + pow(10, spectrum.peakDecibels(fromHz: frequencyHz - 5, toHz: frequencyHz + 5) / 10)
      }
      return 10 * log10(harmonics) - spectrum.peakDecibels(fromHz: 215, toHz: 225)
    }
    let levels = try [Float(0), 20, 40, 60].map(distortion)
    #expect(levels == levels.sorted())
    #expect(levels[0] < -28, "\(levels)")
    #expect(levels[3] > -12, "\(levels)")
  }

  @Test(arguments: [-18.0, -12], [110.0, 220, 440, 1_000, 3_000])
  func `the preset Clean has less than 1 % of harmonics`(decibels: Double, hertz: Double) throws {
    let clean = try #require(
      ModulePreset.shipped.first { $0.module == "amplifier" && $0.name == "Clean" })
    let input = Signals.sine(hertz, 96_000, peak: pow(10, decibels / 20))
    let output = try ModuleInstance(library, clean.values).render([input])[0].suffix(65_536)
    let first = Measure.levelDecibels(of: hertz, in: output)
    let harmonics = stride(from: 2 * hertz, to: 20_000, by: hertz).reduce(0.0) { sum, harmonic in
      sum + pow(10, Measure.levelDecibels(of: harmonic, in: output) / 10)
    }
    let share = 100 * (harmonics / pow(10, first / 10)).squareRoot()
    #expect(share < 1, "\(share) %")
  }

  @Test(arguments: ModulePreset.shipped.filter { $0.module == "amplifier" })
  func `no direct current leaves it, however lopsided the sound`(preset: ModulePreset) throws {
    // Half a sine: the valves increase its DC.
    let input = Signals.sine(100, 144_000, peak: 0.5).map { max($0, 0) }
    let output = try ModuleInstance(library, preset.values + [("cabinet", 0)]).render([input])[0]
    let settled = output.suffix(48_000)
    let mean = settled.reduce(0.0) { $0 + Double($1) } / 48_000
    #expect(abs(mean) < 1e-4, "\(preset): \(mean)")
  }

  @Test func `the valves add even harmonics as well`() throws {
    let input = Signals.sine(220, 96_000, peak: 0.1)
    let output = try ModuleInstance(library, clean + [("gain", 26)]).render([input])[0]
    let spectrum = Spectrum(output.suffix(65_536))
    let (first, second) = (
      spectrum.peakDecibels(fromHz: 215, toHz: 225), spectrum.peakDecibels(fromHz: 435, toHz: 445)
    )
    #expect(second > first - 30 && second < first - 6, "\(first) \(second)")
  }

  @Test(arguments: [(Float(20), -80.0), (40, -75), (60, -55)])
  func `aliases stay below the stated level`(gain: Float, most: Double) throws {
    // A high note, up to 20 kHz: between its harmonics there are only aliases.
    let frequencyHz = 1_318.5
    let input = Signals.sine(frequencyHz, 96_000, peak: 0.25)
    let output = try ModuleInstance(
      library, clean + [("gain", gain), ("treble", 10)]
    ).render([input])[0]
    let spectrum = Spectrum(output.suffix(65_536))
    let first = spectrum.peakDecibels(fromHz: 1_300, toHz: 1_340)
    let alias =
      (0 ..< 15).map { number in
        let lower = Double(number) * frequencyHz
        return spectrum.peakDecibels(fromHz: lower + 30, toHz: lower + frequencyHz - 30)
      }.max() ?? 0
    #expect(alias - first < most, "\(alias - first) dB")
  }

  @Test func `a loud signal lowers the supply voltage, which recovers`() throws {
    let input =
      Signals.sine(220, 48_000, peak: 0.8) + Signals.sine(220, 24_000, peak: 1e-5)
    func output(_ sag: Float) throws -> [Float] {
      try ModuleInstance(library, clean + [("gain", 30), ("master", 20), ("sag", sag)])
        .render([input])[0]
    }
    let (stiff, soft) = (try output(0), try output(100))
    func drop(_ range: Range<Int>) -> Double {
      Measure.rmsDecibels(soft[range]) - Measure.rmsDecibels(stiff[range])
    }
    #expect(drop(60 ..< 280) > -2.5, "\(drop(60 ..< 280))")
    #expect(abs(drop(24_000 ..< 46_000) + 3.2) < 0.6, "\(drop(24_000 ..< 46_000))")
    // Half a second after the loud signal the quiet one has the same level as with a stiff supply.
    #expect(abs(drop(71_000 ..< 72_000)) < 0.4, "\(drop(71_000 ..< 72_000))")
  }

  @Test(arguments: [1, 2, 3])
  func `a cabinet passes neither rumble nor hiss`(cabinet: Int) throws {
    func response(_ frequencyHz: Double) throws -> Double {
      try level(frequencyHz, peak: 1e-4, [("cabinet", Float(cabinet))])
        - level(frequencyHz, peak: 1e-4, [("cabinet", 0)])
    }
    #expect(try response(30) < -10)
    #expect(abs(try response(250)) < 5)
    #expect(try response(2_500) > 0)
    #expect(try response(10_000) < -18)
    #expect(try response(16_000) < -35)
  }

  @Test func `the latency is the reported one`() throws {
    let instance = try ModuleInstance(library, clean)
    let output = try instance.render([Signals.impulse(400, peak: 0.01, at: 100)])[0]
    let loudest = output.indices.max { abs(output[$0]) < abs(output[$1]) } ?? 0
    #expect(instance.latencyFrames == 47)
    #expect(abs(loudest - 147) <= 1, "\(loudest)")
    #expect(try ModuleInstance(library, clean, sampleRateHz: 96_000).latencyFrames == 45)
  }

  @Test func `parameter changes do not click`() throws {
    let input = Signals.sine(220, 48_000, peak: 0.002)
    let output = try ModuleInstance(library, clean).render(
      [input],
      changes: [
        .init(at: 20_000, "stack", 1), .init(at: 26_000, "treble", 0),
        .init(at: 32_000, "bass", 10),
        .init(at: 38_000, "cabinet", 2),
      ])[0]
    let peak = output.dropFirst(2_000).map { abs($0) }.max() ?? 0
    // No frame moves much further than the loudest sine of this frequency.
    let steps = zip(output.dropFirst(2_000), output.dropFirst(2_001)).map { abs($1 - $0) }
    let most = Float(2 * Double.pi * 220 / 48_000) * peak
    #expect((steps.max() ?? 1) < most * 1.3, "\(writeWAV([output], named: "amplifier-knobs"))")
  }

  @Test func `silence stays silence, and NaN has no later effect`() throws {
    let quiet = try ModuleInstance(library, [("gain", 60)]).render([Signals.silence(9_000)])
    #expect(quiet.allSatisfy { $0.allSatisfy { $0 == 0 } })
    var input = Signals.noise(9_000, seed: 3)
    input[50] = .nan
    input[60] = -.infinity
    let output = try ModuleInstance(library).render([input])[0]
    #expect(output.allSatisfy { $0.isFinite })
  }
}

/// The tone stack's network by nodal analysis: the origin of the module's formula.
private enum Circuit {
  private struct Complex {
    var re: Double
    var im: Double
    static func + (a: Self, b: Self) -> Self { .init(re: a.re + b.re, im: a.im + b.im) }
    static func - (a: Self, b: Self) -> Self { .init(re: a.re - b.re, im: a.im - b.im) }
    static func * (a: Self, b: Self) -> Self {
      .init(re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re)
    }
    static func / (a: Self, b: Self) -> Self {
      let power = b.re * b.re + b.im * b.im
      return .init(
        re: (a.re * b.re + a.im * b.im) / power, im: (a.im * b.re - a.re * b.im) / power)
    }
  }

  /// The gain in dB with the knobs bass, middle and treble at 0 to 10.
  static func decibels(_ stack: Int, _ knobs: [Float], _ frequencyHz: Double) -> Double {
    let isBritish = stack == 1
    let (r1, r2) = (isBritish ? 220e3 : 250e3, 1e6)
    let (r3, r4) = (isBritish ? 22e3 : 25e3, isBritish ? 33e3 : 56e3)
    let (c1, c2, c3) =
      isBritish ? (470e-12, 22e-9, 22e-9) : (250e-12, 20e-9, 20e-9)
    let l = exp(3.4 * (Double(knobs[0]) / 10 - 1))
    let (m, t) = (Double(knobs[1]) / 10, Double(knobs[2]) / 10)
    // Nodes: 0 top of the treble pot, 1 its wiper, 2 its foot, 3 after the slope resistor, 4 top of the
    // middle pot, 5 its wiper. The input is a source of 1 V, 6 is ground.
    var matrix = [[Complex]](
      repeating: .init(repeating: .init(re: 0, im: 0), count: 7), count: 6)
    func join(_ a: Int?, _ b: Int?, _ admittance: Complex) {
      // Nil is ground, -1 the input.
      for (here, there) in [(a, b), (b, a)] {
        guard let here, here >= 0 else { continue }
        matrix[here][here] = matrix[here][here] + admittance
        guard let there else { continue }
        let column = there >= 0 ? there : 6
        matrix[here][column] =
          matrix[here][column]
          + .init(
            re: there >= 0 ? -admittance.re : admittance.re,
            im: there >= 0 ? -admittance.im : admittance.im)
      }
    }
    func resistor(_ a: Int?, _ b: Int?, _ ohms: Double) {
      join(a, b, .init(re: 1 / max(ohms, 1e-3), im: 0))
    }
    func capacitor(_ a: Int?, _ b: Int?, _ farads: Double) {
      join(a, b, .init(re: 0, im: 2 * .pi * frequencyHz * farads))
    }
    capacitor(-1, 0, c1)
    resistor(0, 1, (1 - t) * r1)
    resistor(1, 2, t * r1)
    resistor(-1, 3, r4)
    capacitor(3, 2, c2)
    capacitor(3, 5, c3)
    resistor(2, 4, l * r2)
    resistor(4, 5, (1 - m) * r3)
    resistor(5, nil, m * r3)
    for pivot in 0 ..< 6 {
      for row in 0 ..< 6 where row != pivot {
        let factor = matrix[row][pivot] / matrix[pivot][pivot]
        for column in pivot ..< 7 {
          matrix[row][column] = matrix[row][column] - factor * matrix[pivot][column]
        }
      }
    }
    let output = matrix[1][6] / matrix[1][1]
    return 10 * log10(output.re * output.re + output.im * output.im)
  }
}
