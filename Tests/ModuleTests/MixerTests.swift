// MixerTests.swift: gains, pans, mutes, solos and meters of the mixer. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct MixerTests {
  private let library: ModuleLibrary
  private let rate = 48_000

  init() throws { library = try ModuleLibrary("mixer") }

  /// Eight channels of a constant each, from 1 to 128 hundredths by powers of two.
  private func steps(_ frameCount: Int) -> [[Float]] {
    (0 ..< 8).map { [Float](repeating: Float(1 << $0) / 100, count: frameCount) }
  }

  /// The last frame of both sides.
  private func mix(_ values: [(String, Float)], _ inputs: [[Float]]? = nil) throws -> [Float] {
    try ModuleInstance(library, values).render(inputs ?? steps(100)).map { $0[99] }
  }

  @Test(arguments: [(0, -3.0103), (1, -4.5154), (2, -6.0206), (3, 0)])
  func `in the middle a channel has the level of the pan law, at a side full level`(
    law: Int, middle: Double
  ) throws {
    let values: [(String, Float)] = [("pan_law", Float(law))]
    let one = [[Float](repeating: 1, count: 100)] + (1 ..< 8).map { _ in Signals.silence(100) }
    for side in try mix(values, one) {
      #expect(abs(Measure.decibels(Double(side)) - middle) < 0.001)
    }
    #expect(try mix(values + [("pan_1", -100)], one) == [1, 0])
    #expect(try mix(values + [("pan_1", 100)], one) == [0, 1])
  }

  @Test func `the -3 dB law has constant power, the -6 dB law a constant sum`() throws {
    let one = [[Float](repeating: 1, count: 100)] + (1 ..< 8).map { _ in Signals.silence(100) }
    for place in stride(from: Float(-100), through: 100, by: 12.5) {
      let power = try mix([("pan_1", place)], one)
      #expect(abs(power[0] * power[0] + power[1] * power[1] - 1) < 1e-6)
      let sum = try mix([("pan_1", place), ("pan_law", 2)], one)
      #expect(abs(sum[0] + sum[1] - 1) < 1e-6)
    }
  }

  @Test func `every channel has its own gain, and the master gain applies to all`() throws {
    let left = (1 ... 8).map { ("pan_\($0)", Float(-100)) }
    #expect(abs(try mix(left)[0] - 2.55) < 1e-5)
    for channel in 1 ... 8 {
      let output = try mix(left + [("gain_\(channel)", -20)])[0]
      #expect(abs(output - (2.55 - 0.9 * Float(1 << (channel - 1)) / 100)) < 1e-5)
      let closed = try mix(left + [("gain_\(channel)", -60)])[0]
      #expect(abs(closed - (2.55 - Float(1 << (channel - 1)) / 100)) < 1e-5)
    }
    #expect(abs(try mix(left + [("master", -6)])[0] - 2.55 * pow(10, -0.3)) < 1e-5)
  }

  @Test func `mute silences one channel, solo all others, and mute overrides solo`() throws {
    let left = (1 ... 8).map { ("pan_\($0)", Float(-100)) }
    #expect(abs(try mix(left + [("mute_3", 1)])[0] - 2.51) < 1e-5)
    #expect(abs(try mix(left + [("solo_2", 1), ("solo_4", 1)])[0] - 0.10) < 1e-6)
    #expect(abs(try mix(left + [("solo_2", 1), ("solo_4", 1), ("mute_4", 1)])[0] - 0.02) < 1e-6)
  }

  @Test func `a single channel at 0 dB on its side passes every bit`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, seed: 2)]
    let output = try ModuleInstance(library, [("pan_1", -100), ("pan_2", 100)])
      .render(input + (0 ..< 6).map { _ in Signals.silence(9_000) })
    #expect(output == input)
  }

  @Test func `a fader is smoothed: after ten milliseconds it has moved by 63 %`() throws {
    let inputs =
      [[Float](repeating: 1, count: 14_400)] + (1 ..< 8).map { _ in Signals.silence(14_400) }
    let output = try ModuleInstance(library, [("pan_1", -100)]).render(
      inputs, changes: [.init(at: 4_800, "mute_1", 1)])[0]
    #expect(output[4_799] == 1)
    #expect(abs(output[4_800 + 479] - Float(exp(-1.0))) < 0.002)
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 1.0 / 470)
    #expect(output[14_399] == 0)
  }

  @Test func `meters show each channel after its fader, and the bus`() throws {
    let tone = Signals.sine(1_000, 4_800, peak: 0.5)
    let inputs = [tone, tone] + (2 ..< 8).map { _ in Signals.silence(4_800) }
    let instance = try ModuleInstance(
      library, [("pan_1", -100), ("pan_2", -100), ("gain_2", -20), ("master", -6)])
    _ = try instance.render(inputs)
    let values = instance.readouts(10)
    #expect(abs(values[0] + 6.02) < 0.05)
    #expect(abs(values[1] + 26.02) < 0.05)
    #expect(values[2 ..< 8].allSatisfy { $0 < -119 })
    #expect(abs(Double(values[8]) - (-6.02 - 6 + Measure.decibels(1.1))) < 0.05)
    #expect(values[9] < -119)
    // A quarter of a second later meters have fallen by 6 dB.
    _ = try instance.render((0 ..< 8).map { _ in Signals.silence(12_000) })
    #expect(abs(instance.readouts(10)[0] + 12.02) < 0.1)
  }

  @Test func `samples that are not finite in a muted channel do not reach the output`() throws {
    let broken = [Float](repeating: .nan, count: 100)
    let fine = [Float](repeating: 0.5, count: 100)
    let inputs = [broken, fine] + (2 ..< 8).map { _ in Signals.silence(100) }
    #expect(try mix([("mute_1", 1), ("pan_2", -100)], inputs) == [0.5, 0])
    #expect(try mix([("gain_1", -60), ("pan_2", -100)], inputs) == [0.5, 0])
  }
}
