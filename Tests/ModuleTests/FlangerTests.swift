// FlangerTests.swift: the comb compared with its formula. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct FlangerTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("flanger") }

  /// The gain at some frequencies of a comb without a sweep, in dB.
  private func response(
    _ values: [(String, Float)], at frequenciesHz: [Double]
  ) throws -> [Double] {
    // Low enough not to reach the limit of the feedback.
    let output = try ModuleInstance(library, [("depth", 0)] + values)
      .render([Signals.impulse(65_536, peak: 0.25)])[0].map { $0 * 4 }
    return frequenciesHz.map { frequencyHz in
      var (real, imaginary) = (0.0, 0.0)
      for (frame, sample) in output.enumerated() where sample != 0 {
        let angle = 2 * .pi * frequencyHz / 48_000 * Double(frame)
        real += Double(sample) * cos(angle)
        imaginary += Double(sample) * sin(angle)
      }
      return Measure.decibels(hypot(real, imaginary))
    }
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
  }

  @Test(arguments: [Float(-90), -50, 0, 50, 90])
  func `peaks are at multiples of the delay's reciprocal, notches between`(
    feedback: Float
  ) throws {
    let g = Double(feedback) / 100
    // 2 ms are 96 frames: peaks each 500 Hz.
    let values: [(String, Float)] = [("delay", 2), ("feedback", feedback), ("mix", 50)]
    let peaks = try response(values, at: [500, 1_000, 5_000])
    let notches = try response(values, at: [250, 750, 5_250])
    // (1 + z) / (1 - g z) over the root of its mean power, 2 / (1 - g).
    let wanted = Measure.decibels((2 / (1 - g)).squareRoot())
    for level in peaks { #expect(abs(level - wanted) < 0.02, "\(feedback) %: \(peaks)") }
    for level in notches { #expect(level < -80, "\(feedback) %: \(notches)") }
  }

  @Test(arguments: [Float(0.2), 1, 4])
  func `the delay is modulated at the set rate, from the delay to the delay plus the depth`(
    rate: Float
  ) throws {
    let values: [(String, Float)] = [
      ("rate", rate), ("delay", 1), ("depth", 8), ("feedback", 0), ("mix", 100), ("phase", 90),
    ]
    let count = Int(48_000 * 2 / rate)
    let ramp = (0 ..< count).map { Float($0) / 65_536 }
    let output = try ModuleInstance(library, values).render([ramp])
    for frame in stride(from: 1_000, to: count, by: 97) {
      let turns = Double(rate) * Double(frame) / 48_000
      for (channel, ahead) in zip(output, [0, 0.25]) {
        let age = Double(ramp[frame] - channel[frame]) * 65_536
        let wanted = 48 + 192 * (1 + sin(2 * .pi * (turns + ahead)))
        // A ramp of a million frames leaves a float a sixteenth of a frame.
        #expect(abs(age - wanted) < 0.2, "frame \(frame): \(age), not \(wanted)")
      }
    }
  }

  @Test func `with through-zero the wet and the dry delay are equal in the middle of the sweep`()
    throws
  {
    let values: [(String, Float)] = [
      ("rate", 0.5), ("delay", 1), ("depth", 4), ("feedback", 0), ("through_zero", 1),
      ("phase", 0),
    ]
    let ramp = (0 ..< 96_000).map { Float($0) / 65_536 }
    let wet = try ModuleInstance(library, values + [("mix", 100)]).render([ramp])[0]
    let dry = try ModuleInstance(library, values + [("mix", 0)]).render([ramp])[0]
    // 1 ms and half of 4 ms, exact.
    #expect(dry[144...] == ramp[..<(96_000 - 144)])
    let ahead = (48_000 ..< 95_000).map { Double(wet[$0] - dry[$0]) * 65_536 }
    #expect(abs((ahead.max() ?? 0) - 96) < 0.2)
    #expect(abs(ahead[0]) < 0.2, "half a turn in: the middle")
    let all = (1_000 ..< 48_000).map { Double(wet[$0] - dry[$0]) * 65_536 }
    #expect(abs((all.min() ?? 0) + 96) < 0.2)
  }

  @Test(arguments: [Float(-95), 95])
  func `full feedback stays bounded and ends`(feedback: Float) throws {
    let input = Signals.noise(96_000, peak: 1, seed: 4) + Signals.silence(96_000)
    let output = try ModuleInstance(library, [("feedback", feedback), ("delay", 0.1)])
      .render([input])
    #expect((output.map { Measure.peakDecibels($0) }.max() ?? 99) < 3)
    #expect(output.allSatisfy { $0[150_000...].allSatisfy { $0 == 0 } })
  }

  @Test(arguments: [
    ("delay", Float(5)), ("depth", 8), ("feedback", -60), ("phase", 180), ("through_zero", 1),
    ("mix", 0), ("rate", 3),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let input = Signals.sine(220, 48_000, peak: 0.25)
    let output = try ModuleInstance(library).render(
      [input], changes: [.init(at: 24_123, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -60, "\(writeWAV([output], named: symbol))")
  }
}
