// GraphicEqualiserTests.swift: a response that equals the sliders. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct GraphicEqualiserTests {
  private let library: ModuleLibrary
  private let symbols: [String]

  init() throws {
    library = try ModuleLibrary("graphic-eq")
    symbols = library.manifest.parameters.map(\.symbol).filter { $0 != "output_gain" }
  }

  /// Thirds of octaves around 1 kHz, the eighteenth slider.
  private static func centreHz(_ position: Double) -> Double {
    1_000 * pow(2, (position - 17) / 3)
  }

  /// Slider positions that are hard to reproduce, and random ones.
  static let settings: [[Float]] = {
    var generator = SplitMix64(seed: 5)
    let bands = 0 ..< 31
    let random = (0 ..< 6).map { _ in
      bands.map { _ in Float.random(in: -12 ... 12, using: &generator) }
    }
    let extreme = (0 ..< 6).map { _ in
      bands.map { _ in Bool.random(using: &generator) ? Float(12) : -12 }
    }
    return random + extreme + [
      bands.map { $0 % 2 == 0 ? 12 : -12 },
      bands.map { _ in 12 },
      bands.map { _ in -12 },
      bands.map { $0 < 15 ? 12 : -12 },
      bands.map { $0 == 0 ? 12 : 0 },
      bands.map { $0 == 30 ? 12 : 0 },
    ]
  }()

  /// The response in dB at positions on the scale of sliders.
  private func response(
    _ sliders: [Float], at positions: [Double], rate: Double
  ) throws -> [Double] {
    let instance = try ModuleInstance(
      library, Array(zip(symbols, sliders)), sampleRateHz: rate)
    // Long enough for the response of a bell at 20 Hz.
    let response = try instance.render([Signals.impulse(Int(rate))])[0]
    return positions.map { position in
      let turn = Self.centreHz(position) / rate
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in response.enumerated() {
        let (sine, cosine) = (
          sin(2 * .pi * turn * Double(frame)), cos(2 * .pi * turn * Double(frame))
        )
        real += Double(sample) * cosine
        imaginary += Double(sample) * sine
      }
      return 10 * log10(real * real + imaginary * imaginary)
    }
  }

  @Test(arguments: settings)
  func `at the centres the response is within half a dB of the sliders`(
    sliders: [Float]
  ) throws {
    let measured = try response(sliders, at: (0 ..< 31).map(Double.init), rate: 48_000)
    let worst = zip(measured, sliders).map { abs($0 - Double($1)) }.max() ?? 1
    #expect(worst < 0.5, "\(worst) dB: \(measured)")
  }

  @Test(arguments: [44_100.0, 96_000, 192_000])
  func `the response is the same at every rate`(rate: Double) throws {
    for sliders in [Self.settings[0], Self.settings[7], Self.settings[12]] {
      let measured = try response(sliders, at: (0 ..< 31).map(Double.init), rate: rate)
      let worst = zip(measured, sliders).map { abs($0 - Double($1)) }.max() ?? 1
      #expect(worst < 0.5, "\(worst) dB")
    }
  }

  @Test func `all sliders at one gain give that gain between the centres as well`() throws {
    let sliders = [Float](repeating: 12, count: 31)
    let positions = (4 ... 112).map { Double($0) / 4 }
    let measured = try response(sliders, at: positions, rate: 48_000)
    let worst = measured.map { abs($0 - 12) }.max() ?? 1
    #expect(worst < 0.35, "\(worst) dB")
  }

  @Test func `a single slider has no gain two bands away`() throws {
    let sliders = (0 ..< 31).map { $0 == 15 ? Float(12) : 0 }
    let positions = (0 ..< 31).map(Double.init).filter { abs($0 - 15) >= 2 }
    let measured = try response(sliders, at: positions, rate: 48_000)
    #expect((measured.map { abs($0) }.max() ?? 1) < 0.2, "\(measured)")
  }

  @Test func `at low rates the sliders beyond the range have no effect`() throws {
    // The highest below 0.475 of 8 kHz is that of 3.15 kHz.
    let sliders = Self.settings[0]
    let measured = try response(sliders, at: (0 ... 22).map(Double.init), rate: 8_000)
    let worst = zip(measured, sliders).map { abs($0 - Double($1)) }.max() ?? 1
    #expect(worst < 0.5, "\(worst) dB")
  }

  @Test func `flat, it passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library).render(input) == input)
  }

  @Test func `sliders move without a click`() throws {
    let input = Signals.sine(440, 48_000, peak: 0.2)
    let output = try ModuleInstance(library).render(
      [input],
      changes: [
        .init(at: 12_000, "gain_400", 12), .init(at: 12_050, "gain_500", -12),
        .init(at: 24_000, "gain_400", 0), .init(at: 24_000, "gain_500", 0),
      ])[0]
    // 440 Hz at 0.2 with at most 12 dB moves by 0.0459 a frame.
    let steps = zip(output[8_000...], output[8_001...]).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.0459, "\(writeWAV([output], named: "graphic-glide"))")
    // Back at 0 it passes every bit again.
    #expect(Array(output.suffix(12_000)) == Array(input.suffix(12_000)))
  }

  @Test func `NaN and infinity have no later effect`() throws {
    var input = Signals.noise(9_000, seed: 3)
    input[50] = .nan
    input[60] = -.infinity
    let output = try ModuleInstance(library, [("gain_100", 6)]).render([input])[0]
    #expect(output.allSatisfy { $0.isFinite })
  }
}
