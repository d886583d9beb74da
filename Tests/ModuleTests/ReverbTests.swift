// ReverbTests.swift: decay times and resonances of the room. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct ReverbTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("reverb") }

  private func response(_ values: [(String, Float)], seconds: Double) throws -> [[Float]] {
    let reverb = try ModuleInstance(library, [("mix", 100), ("pre_delay", 0)] + values)
    return try reverb.render([Signals.impulse(Int(seconds * 48_000))], blocks: [512])
  }

  @Test(
    arguments: [(Float(0.4), Float(20)), (1, 50), (2, 50), (2, 100), (5, 80)], [Float(0), 60])
  func `the mids decay by 60 dB in the requested time`(
    room: (decay: Float, size: Float), modulation: Float
  ) throws {
    let output = try response(
      [
        ("decay", room.decay), ("size", room.size), ("damping", 20_000),
        ("modulation", modulation),
      ], seconds: Double(room.decay) * 0.9 + 0.3)
    for (from, to) in [(250.0, 500.0), (500, 1_000), (1_000, 2_000)] {
      let seconds = Measure.decaySeconds(Measure.band(output[0], fromHz: from, toHz: to))
      #expect(
        abs(seconds / Double(room.decay) - 1) < 0.1,
        "\(from) Hz: \(seconds) s. \(writeWAV(output, named: "reverb-decay"))")
    }
  }

  @Test(arguments: [(Float(0.1), 0.1 ... 0.18), (0.2, 0.18 ... 0.27), (0.3, 0.25 ... 0.34)])
  func `short decays are short`(decay: Float, range: ClosedRange<Double>) throws {
    for size in [Float(0), 50] {
      let output = try response(
        [("decay", decay), ("size", size), ("damping", 20_000)], seconds: 1)
      let seconds = Measure.decaySeconds(output[0])
      #expect(range.contains(seconds), "\(decay) s at \(size) %: \(seconds) s")
    }
  }

  @Test func `at the damping frequency the decay is half as long`() throws {
    let output = try response(
      [("decay", 2), ("damping", 4_000), ("modulation", 0)], seconds: 2)
    let mids = Measure.decaySeconds(Measure.band(output[0], fromHz: 250, toHz: 500))
    let highs = Measure.decaySeconds(Measure.band(output[0], fromHz: 3_800, toHz: 4_200))
    #expect(abs(highs / mids - 0.5) < 0.07, "\(mids) s and \(highs) s")
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    #expect(try ModuleInstance(library, [("mix", 0)]).render(input) == input)
  }

  @Test func `a width of 0 makes the wet signal mono`() throws {
    let reverb = try ModuleInstance(library, [("mix", 100), ("width", 0)])
    let output = try reverb.render([Signals.noise(24_000, seed: 1), Signals.noise(24_000, seed: 2)])
    #expect(output[0] == output[1])
    #expect(Measure.rmsDecibels(output[0]) > -40)
  }

  @Test func `at full width both sides are nearly uncorrelated`() throws {
    let output = try response([("decay", 2)], seconds: 1)
    let (left, right) = (output[0][4_800...], output[1][4_800...])
    let product = zip(left, right).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    let power = [left, right].map { $0.reduce(0.0) { $0 + Double($1) * Double($1) } }
    #expect(abs(product / (power[0] * power[1]).squareRoot()) < 0.2)
  }

  @Test(arguments: [Float(0), 15, 250])
  func `the output is silent until the pre-delay has passed`(milliseconds: Float) throws {
    let output = try response([("pre_delay", milliseconds)], seconds: 0.4)[0]
    let first = output.firstIndex { abs($0) > 1e-6 } ?? 0
    #expect(first == Int(milliseconds * 48) + 1)
  }

  @Test(arguments: [Float(0), 50, 100], [Float(0.5), 8])
  func `the mids of steady noise have about the same loudness as the input`(
    size: Float, decay: Float
  )
    throws
  {
    let reverb = try ModuleInstance(
      library,
      [("mix", 100), ("size", size), ("decay", decay), ("damping", 20_000), ("low_cut", 10)])
    let count = 48_000 * 3
    let input = [Signals.noise(count, seed: 1), Signals.noise(count, seed: 2)]
    let output = try reverb.render(input, blocks: [512])
    let levels = [output[0], input[0]].map { signal in
      let mids = Measure.band(signal, fromHz: 250, toHz: 2_000)
      return Measure.rmsDecibels(mids.suffix(48_000))
    }
    let gain = levels[0] - levels[1]
    #expect(abs(gain) < 3, "\(gain) dB")
  }

  /// The metric is the level of the strongest bin above the mean of its third of an octave.
  ///
  /// It is measured in the tail, from 0.5 s on. Ideal diffuse sound is Gaussian, and the power of
  /// its bins is exponentially distributed, so the strongest of a thousand bins is 10 log10(ln
  /// 1000) = 8.4 dB above the mean. A ringing resonance is higher, and grows with time. Separate
  /// modes, as in small rooms, add some decibels.
  @Test(arguments: [Float(20), 50, 100])
  func `no single resonance dominates the tail`(size: Float) throws {
    let output = try response([("decay", 3), ("size", size), ("damping", 20_000)], seconds: 2)
    let spectrum = Spectrum(output[0].dropFirst(24_000))
    var worst = -Double.infinity
    for centre in [200.0, 400, 800, 1_600, 3_200] {
      let peak = spectrum.peakDecibels(fromHz: centre * 0.89, toHz: centre * 1.12)
      worst = max(worst, peak - spectrum.meanDecibels(fromHz: centre * 0.89, toHz: centre * 1.12))
    }
    #expect(worst < 13.5, "\(worst) dB. \(writeWAV(output, named: "reverb-tail"))")
  }

  /// The metric is the echo density of Abel and Huang (2006).
  ///
  /// It is the share of frames between 80 and 130 ms whose magnitude exceeds the window's
  /// standard deviation, over the share of Gaussian noise: 1 is full density.
  @Test func `echoes are dense after a tenth of a second`() throws {
    let output = try response([], seconds: 0.3)[0]
    let window = output[3_840 ..< 6_240]
    let deviation = pow(10, Measure.rmsDecibels(window) / 20)
    let share = Double(window.filter { Double(abs($0)) > deviation }.count) / Double(window.count)
    #expect(share / 0.3173 > 0.75, "density \(share / 0.3173)")
  }
}
