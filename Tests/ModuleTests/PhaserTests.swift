// PhaserTests.swift: notches compared with the formula of the all-passes. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct PhaserTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("phaser") }

  /// The gain at some frequencies of a phaser without a sweep, in dB.
  private func response(
    _ values: [(String, Float)], cornerHz: Float, at frequenciesHz: [Double]
  ) throws -> [Double] {
    let still: [(String, Float)] = [("lowest", cornerHz), ("highest", cornerHz)]
    // Low enough not to reach the limit of the feedback.
    let output = try ModuleInstance(library, still + values)
      .render([Signals.impulse(65_536, peak: 0.0625)])[0].map { $0 * 16 }
    let end = (output.lastIndex { $0 != 0 } ?? 0) + 1
    return frequenciesHz.map { frequencyHz in
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in output[..<end].enumerated() {
        let angle = 2 * .pi * frequencyHz / 48_000 * Double(frame)
        real += Double(sample) * cos(angle)
        imaginary += Double(sample) * sin(angle)
      }
      return Measure.decibels(hypot(real, imaginary))
    }
  }

  /// Returns the frequency at which a series of all-passes has shifted the phase by some half cycles.
  private func frequencyHz(halfTurns: Int, stages: Int, cornerHz: Double) -> Double {
    let tangent = tan(.pi * cornerHz / 48_000)
    let share = tan(Double(halfTurns) * .pi / Double(2 * stages))
    return 48_000 / .pi * atan(tangent * share)
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
  }

  @Test(arguments: [4, 5, 6, 8, 10, 12], [Float(-80), 0, 80])
  func `notches and peaks are at the frequencies of the formula for any feedback`(
    stages: Int, feedback: Float
  ) throws {
    let values: [(String, Float)] = [
      ("stages", Float(stages)), ("feedback", feedback), ("mix", 50),
    ]
    for cornerHz in [Float(300), 2_000] {
      func places(_ halfTurns: some Sequence<Int>) -> [Double] {
        halfTurns.map {
          frequencyHz(halfTurns: $0, stages: stages, cornerHz: Double(cornerHz))
        }
      }
      let notches = places(stride(from: 1, to: stages, by: 2))
      #expect(notches.count == stages / 2)
      let depths = try response(values, cornerHz: cornerHz, at: notches)
      #expect(depths.allSatisfy { $0 < -60 }, "\(notches): \(depths)")
      let peaks = places(stride(from: 2, to: stages, by: 2))
      // As in Flanger.
      let wanted = Measure.decibels((2 / (1 - Double(feedback) / 100)).squareRoot())
      let levels = try response(values, cornerHz: cornerHz, at: peaks)
      #expect(levels.allSatisfy { abs($0 - wanted) < 0.05 }, "\(peaks): \(levels), \(wanted)")
    }
  }

  @Test func `without dry signal and feedback it is an all-pass`() throws {
    let levels = try response(
      [("mix", 100), ("feedback", 0), ("stages", 12)], cornerHz: 800,
      at: [30, 200, 800, 3_000, 18_000])
    #expect(levels.allSatisfy { abs($0) < 0.001 }, "\(levels)")
  }

  @Test func `the corner frequency sweeps between its limits at the set rate, evenly in pitch`()
    throws
  {
    // One cycle per second from 200 to 3200 Hz: sin passes 0, 1, 0 and -1 at 0, 1/4, 1/2 and 3/4 s.
    let values: [(String, Float)] = [
      ("rate", 1), ("lowest", 200), ("highest", 3_200), ("feedback", 0), ("stages", 4),
      ("phase", 0), ("mix", 50),
    ]
    for (seconds, cornerHz) in [(1.0, 800.0), (1.25, 3_200), (1.5, 800), (1.75, 200)] {
      let notch = frequencyHz(halfTurns: 1, stages: 4, cornerHz: cornerHz)
      let input = Signals.sine(notch, 96_000)
      let output = try ModuleInstance(library, values).render([input])[0]
      let centre = Int(48_000 * seconds)
      // The level of a tone in the notch's range is lowest when the notch reaches it.
      let levels = stride(from: -4_800, through: 4_800, by: 240).map { offset in
        let start = centre + offset - 240
        return Measure.rmsDecibels(output[start ..< min(start + 480, 96_000)])
      }
      let least = levels.indices.min { levels[$0] < levels[$1] } ?? 0
      #expect(abs(least - 20) <= 1, "at \(seconds) s: \(levels)")
    }
  }

  @Test(arguments: [Float(-95), 95])
  func `full feedback stays bounded and ends`(feedback: Float) throws {
    let input = Signals.noise(96_000, seed: 4) + Signals.silence(192_000)
    let output = try ModuleInstance(
      library, [("feedback", feedback), ("lowest", 20), ("rate", 5), ("stages", 12)]
    ).render([input])
    let gain = Measure.rmsDecibels(output[0][..<96_000]) - Measure.rmsDecibels(input[..<96_000])
    #expect(gain < 3, "\(gain) dB")
    #expect(output.allSatisfy { $0[280_000...].allSatisfy { $0 == 0 } })
  }

  @Test(arguments: [
    ("stages", Float(12)), ("stages", 4), ("lowest", 2_000), ("highest", 100), ("feedback", -70),
    ("phase", 180), ("mix", 0), ("rate", 8),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let input = Signals.sine(220, 48_000, peak: 0.25)
    let output = try ModuleInstance(library).render(
      [input], changes: [.init(at: 24_123, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -60, "\(writeWAV([output], named: symbol))")
  }
}
