// PlateTests.swift: decays, density and levels of the plate. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct PlateTests {
  private let library: ModuleLibrary
  private let wet: [(String, Float)] = [
    ("mix", 100), ("pre_delay", 0), ("bandwidth", 20_000), ("damping", 20_000), ("low_cut", 10),
  ]

  init() throws { library = try ModuleLibrary("plate-reverb") }

  private func response(
    _ values: [(String, Float)], seconds: Double, rate: Double = 48_000
  ) throws -> [[Float]] {
    let input = Signals.impulse(Int(seconds * rate))
    return try ModuleInstance(library, wet + values, sampleRateHz: rate).render([input])
  }

  @Test(arguments: [
    (0.3, 48_000.0), (0.4, 48_000), (0.5, 48_000), (0.6, 48_000), (0.7, 48_000), (0.8, 48_000),
    (1, 48_000), (1.2, 48_000), (0.4, 44_100), (0.4, 96_000), (2, 48_000), (6, 48_000), (2, 44_100),
    (2, 96_000), (2, 16_000),
  ])
  func `the mids decay in the requested time at every rate`(
    seconds: Double, rate: Double
  ) throws {
    let output = try response([("decay", Float(seconds))], seconds: seconds * 1.2 + 0.2, rate: rate)
    for channel in output {
      let mids = Measure.band(channel, fromHz: 300, toHz: 2_000, sampleRateHz: rate)
      let measured = Measure.decaySeconds(mids, sampleRateHz: rate)
      // Few echoes make the shortest decay.
      #expect(abs(measured / seconds - 1) < (seconds < 0.4 ? 0.2 : 0.1), "\(measured) s")
    }
  }

  @Test(arguments: [Float(2_000), 5_000])
  func `at the damping frequency the decay is half as long`(dampingHz: Float) throws {
    let output = try response([("decay", 4), ("damping", dampingHz)], seconds: 2)
    for channel in output {
      // From the decay during a second, in a band so narrow that its edges do not differ.
      let levels = [14_400, 62_400].map { start in
        Spectrum(channel[start ..< start + 16_384])
          .meanDecibels(fromHz: Double(dampingHz) * 0.96, toHz: Double(dampingHz) * 1.04)
      }
      let measured = 60 / (levels[0] - levels[1])
      #expect(abs(measured / 2 - 1) < 0.13, "\(measured) s")
    }
  }

  @Test(arguments: [(4_800, 0.5), (12_000, 0.85), (48_000, 0.95)])
  func `the echo density soon equals that of noise`(start: Int, least: Double) throws {
    // The fraction of frames beyond one standard deviation, relative to that of Gaussian noise: the normalised echo
    // density of Abel and Huang (2006). It is 1 if echoes are no longer separate.
    for channel in try response([("decay", 3)], seconds: 1.1) {
      let window = channel[start ..< start + 1_200]
      let deviation = pow(10, Measure.rmsDecibels(window) / 20)
      let beyond = window.filter { Double(abs($0)) > deviation }.count
      let density = Double(beyond) / 1_200 / erfc(1 / 2.0.squareRoot())
      #expect(density > least, "\(density)")
    }
  }

  @Test(arguments: [Float(0.3), 0.5, 2, 10])
  func `the mids of steady noise are 1.5 dB louder wet than dry at any decay`(seconds: Float) throws
  {
    let input = Signals.noise(48_000 * 4, peak: 0.5, seed: 6)
    let output = try ModuleInstance(library, wet + [("decay", seconds)]).render([input])
    func mids(_ signal: [Float]) -> Double {
      Measure.rmsDecibels(Measure.band(signal, fromHz: 300, toHz: 2_000).suffix(96_000))
    }
    let captured = output.map(mids)
    let difference = (captured[0] + captured[1]) / 2 - mids(input)
    // Speech and music lose this level because of the damping and the filters.
    #expect(abs(difference - 1.5) < 1.5, "\(difference)")
    #expect(abs(captured[0] - captured[1]) < 1)
  }

  @Test func `both sides are nearly uncorrelated, and equal at a width of 0`() throws {
    let output = try response([("decay", 3)], seconds: 1)
    let pairs = zip(output[0], output[1])
    let common = pairs.reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    let powers = output.map { $0.reduce(0.0) { $0 + Double($1) * Double($1) } }
    #expect(abs(common) / (powers[0] * powers[1]).squareRoot() < 0.15)
    let narrow = try response([("decay", 3), ("width", 0)], seconds: 0.2)
    #expect(narrow[0] == narrow[1])
  }

  @Test func `the output starts after the pre-delay and the first tap`() throws {
    // The left side's nearest tap is 266 frames of 29761 Hz into a long delay, after all-passes that pass a fraction
    // without delay.
    for milliseconds in [0, 50] {
      let output = try response([("pre_delay", Float(milliseconds))], seconds: 0.2)[0]
      let first = try #require(output.firstIndex { abs($0) > 1e-4 })
      let expected = Double(milliseconds) * 48 + 266 * 48_000 / 29_761.0
      #expect(abs(Double(first) - expected) < 4, "\(first) \(expected)")
    }
  }

  @Test func `the bandwidth filter attenuates by 3 dB at its frequency`() throws {
    func level(_ bandwidth: Float) throws -> Double {
      let output = try response([("bandwidth", bandwidth), ("modulation", 0)], seconds: 1.4)
      let spectrum = Spectrum(output[0])
      return spectrum.meanDecibels(fromHz: 1_900, toHz: 2_100)
    }
    let difference = try level(2_000) - level(20_000)
    #expect(abs(difference + 3) < 0.6, "\(difference)")
  }

  @Test func `a mix of 0 passes every bit, and the tail ends in silence`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
    let tail = try ModuleInstance(library, wet + [("decay", 0.3)])
      .render([input[0] + Signals.silence(200_000)])
    #expect(tail.allSatisfy { $0.suffix(1_000).allSatisfy { $0 == 0 } })
  }

  @Test func `NaN and infinity have no later effect`() throws {
    var input = Signals.noise(24_000, seed: 3)
    input[100] = .nan
    input[200] = .infinity
    let output = try ModuleInstance(library, wet).render([input])
    // Only the dry signal, at a level of 0, is in those frames.
    #expect(output.allSatisfy { $0.dropFirst(201).allSatisfy(\.isFinite) })
    #expect(output.allSatisfy { Measure.peakDecibels($0.dropFirst(201)) < 20 })
  }
}
