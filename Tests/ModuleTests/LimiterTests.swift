// LimiterTests.swift: a ceiling that holds, a delay that is exact. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct LimiterTests {
  enum Programme: CaseIterable {
    case noise
    case sine
    case impulses
    case steps

    func signal(_ frameCount: Int) -> [Float] {
      var generator = SeededGenerator(seed: 77)
      switch self {
      case .noise: return Signals.noise(frameCount, peak: 4, seed: 6)
      case .sine: return Signals.sweep(fromHz: 20, toHz: 20_000, frameCount, peak: 8)
      case .impulses:
        return (0 ..< frameCount).map { _ in
          Int.random(in: 0 ..< 150, using: &generator) == 0
            ? .random(in: -30 ... 30, using: &generator) : 0
        }
      case .steps:
        var level: Float = 0
        return (0 ..< frameCount).map { _ in
          if Int.random(in: 0 ..< 90, using: &generator) == 0 {
            level = .random(in: -10 ... 10, using: &generator)
          }
          return level
        }
      }
    }
  }

  @Test(arguments: Programme.allCases, [Float(0), -0.3, -1, -12, -24])
  func `no sample exceeds the ceiling`(programme: Programme, ceiling: Float) throws {
    let limit = Float(pow(10, Double(ceiling) / 20))
    for release in [Float(1), 100, 2_000] {
      for gain in [Float(0), 24] {
        let instance = try ModuleInstance(
          ModuleLibrary("limiter"),
          [("ceiling", ceiling), ("release", release), ("input_gain", gain)])
        let output = try instance.render(
          [programme.signal(48_000), Signals.noise(48_000, peak: 0.1)])
        let peak = output.flatMap { $0 }.map { abs($0) }.max() ?? 0
        #expect(peak <= limit)
        #expect(peak > limit * 0.7)
      }
    }
  }

  @Test func `a lowered ceiling holds from the look-ahead on`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("ceiling", 0)])
    let output = try instance.render(
      [Signals.noise(24_000, peak: 3)], changes: [.init(at: 9_000, "ceiling", -12)])[0]
    let limit = Float(pow(10, -12.0 / 20))
    #expect(output[(9_000 + instance.latencyFrames)...].allSatisfy { abs($0) <= limit })
    #expect(output[..<9_000].contains { abs($0) > limit })
  }

  @Test(arguments: [8_000.0, 44_100, 48_000, 96_000, 192_000])
  func `the declared latency is the delay, to the frame`(sampleRateHz: Double) throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), sampleRateHz: sampleRateHz)
    #expect(instance.latencyFrames == Int((0.005 * sampleRateHz).rounded()))
    let output = try instance.render([Signals.impulse(4_000, peak: 0.5, at: 100)])[0]
    let expected = Signals.impulse(4_000, peak: 0.5, at: 100 + instance.latencyFrames)
    #expect(output == expected)
  }

  @Test func `below the ceiling it is a delay, bit for bit, also after it has limited`() throws {
    let instance = try ModuleInstance(
      ModuleLibrary("limiter"), [("ceiling", 0), ("release", 10)])
    let loud = Signals.noise(10_000, peak: 5, seed: 8)
    let quiet = Signals.noise(40_000, peak: 0.999, seed: 9)
    let output = try instance.render([loud + quiet])[0]
    // A release of 10 ms is at its end, to the last bit of a float, after 0.4 s.
    let start = 10_000 + 19_200
    let delay = instance.latencyFrames
    #expect(Array(output[start...]) == Array((loud + quiet)[(start - delay) ..< 50_000 - delay]))
  }

  @Test func `the gain moves without corners`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("ceiling", -6)])
    let output = try instance.render(
      [Signals.silence(1_000).map { _ in 0.1 } + [1] + Signals.silence(3_000).map { _ in 0.1 }])[0]
    let gain = output.dropFirst(240).map { Double($0) / 0.1 }
    let steps = zip(gain, gain.dropFirst()).map { $1 - $0 }
    let bends = zip(steps, steps.dropFirst()).map { abs($1 - $0) }
    // Down by half over 240 frames as an S: at most 2 x 0.5 / 240 a frame, bent by 4 x 0.5 / 240².
    let quiet = steps.enumerated().filter { abs($0.offset - 1_000) > 2 }.map { abs($0.element) }
    let calm = bends.enumerated().filter { abs($0.offset - 1_000) > 2 }.map(\.element)
    #expect((quiet.max() ?? 1) < 1.05 * 2 * 0.5 / 240)
    #expect((calm.max() ?? 1) < 1.2 * 4 * 0.5 / (240 * 240))
  }

  @Test func `the release covers 63 % of the gain in its time`() throws {
    let instance = try ModuleInstance(
      ModuleLibrary("limiter"), [("ceiling", -6), ("release", 200)])
    let hot = [Float](repeating: 1, count: 9_600) + [Float](repeating: 0.1, count: 40_000)
    let output = try instance.render([hot])[0]
    let floor = pow(10, -6.0 / 20)
    // The held minimum and the two averages come out together: half the look-ahead after the frame.
    let due = 9_600 + 240 + 120 + 9_600
    let gain = Double(output[due]) / 0.1
    #expect(abs(gain - (1 - (1 - floor) * exp(-1))) < 0.005)
  }

  @Test func `both channels are turned down alike`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("ceiling", -6)])
    let output = try instance.render(
      [Signals.noise(9_600, peak: 4), [Float](repeating: 0.25, count: 9_600)])
    let turnedDown = output[1].dropFirst(1_000).map { abs($0) }.max() ?? 1
    #expect(turnedDown < 0.25 * 0.3)
  }

  @Test func `what is not a number becomes silence and leaves no trace`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"))
    var input = Signals.sine(440, 9_600, peak: 0.5)
    input[2_000] = .nan
    input[3_000] = .infinity
    let output = try instance.render([input])[0]
    #expect(output[2_240] == 0)
    #expect(output[3_240] == 0)
    #expect(output[4_000] == input[3_760])
  }
}
