// ChorusTests.swift: position and number of the voices. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct ChorusTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("chorus") }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
  }

  @Test(arguments: [1, 2, 3])
  func `the response to an impulse has one impulse per voice, with the same total power`(
    voices: Int
  ) throws {
    // In these 50 ms, voices at this rate hardly move.
    let values: [(String, Float)] = [
      ("voices", Float(voices)), ("rate", 0.02), ("delay", 5), ("depth", 10), ("spread", 0),
      ("mix", 100),
    ]
    let output = try ModuleInstance(library, values).render([Signals.impulse(2_000)])
    #expect(output[0] == output[1])
    let peaks = (0 ..< voices).map { voice in
      // From the shortest delay to the longest on a sine, evenly distributed over its cycle.
      let place = 0.5 + 0.5 * sin(2 * .pi * Double(voice) / Double(voices))
      return Int(240 + 480 * place)
    }
    var rest = output[0]
    for peak in peaks {
      let around = peak - 4 ... peak + 4
      let sum = output[0][around].reduce(0, +)
      if Set(peaks).count == voices {
        #expect(abs(Double(sum) * Double(voices).squareRoot() - 1) < 1e-3, "voice at \(peak)")
      }
      for frame in around { rest[frame] = 0 }
    }
    #expect(rest.allSatisfy { $0 == 0 }, "nothing beside \(peaks)")
    let total = output[0].reduce(0, +)
    #expect(abs(Double(total) - Double(voices).squareRoot()) < 1e-3)
  }

  @Test(arguments: [Float(0.5), 2, 7.5])
  func `the delay is modulated at the set rate by the set depth, from the set delay upwards`(
    rate: Float
  ) throws {
    let values: [(String, Float)] = [
      ("voices", 1), ("rate", rate), ("delay", 4), ("depth", 6), ("mix", 100), ("spread", 100),
    ]
    // On a ramp the output shows the delay: the difference from the input.
    let count = Int(48_000 * 2 / rate)
    let ramp = (0 ..< count).map { Float($0) / 65_536 }
    let output = try ModuleInstance(library, values).render([ramp])
    for frame in stride(from: 1_000, to: count, by: 97) {
      let sine = sin(2 * .pi * Double(rate) * Double(frame) / 48_000)
      for (channel, side) in zip(output, [1.0, -1]) {
        let age = Double(ramp[frame] - channel[frame]) * 65_536
        #expect(abs(age - (192 + 144 * (1 + side * sine))) < 0.2, "frame \(frame)")
      }
    }
  }

  @Test func `without spread both sides are the same, with it they are not`() throws {
    let input = [Signals.noise(48_000, peak: 0.5)]
    let narrow = try ModuleInstance(library, [("spread", 0)]).render(input)
    #expect(narrow[0] == narrow[1])
    let wide = try ModuleInstance(library, [("mix", 100), ("spread", 100)]).render(input)
    let product = zip(wide[0], wide[1]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    let power = wide[0].reduce(0.0) { $0 + Double($1) * Double($1) }
    #expect(abs(product / power) < 0.1, "correlation \(product / power)")
  }

  @Test(arguments: [
    ("voices", Float(1)), ("delay", 20), ("depth", 12), ("spread", 0), ("rate", 5), ("mix", 0),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let input = Signals.sine(220, 48_000, peak: 0.17)
    let output = try ModuleInstance(library).render(
      [input], changes: [.init(at: 24_000, symbol, value)])[1]
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[20_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: symbol))")
  }

  @Test func `after the input ends, the output becomes silent`() throws {
    let input = Signals.noise(4_800) + Signals.silence(4_800)
    let output = try ModuleInstance(library, [("delay", 30), ("depth", 15)]).render([input])
    // 45 ms at most, and two frames for the interpolation.
    #expect(output.allSatisfy { $0[(4_800 + 2_163)...].allSatisfy { $0 == 0 } })
  }
}
