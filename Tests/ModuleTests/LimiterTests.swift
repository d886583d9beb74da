// LimiterTests.swift: the ceiling and the delay. SPDX-License-Identifier: MIT

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
      var generator = SplitMix64(seed: 77)
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

  @Test func `a lowered ceiling applies after the look-ahead`() throws {
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

  @Test func `below the ceiling the signal is only delayed, also after a limited peak`() throws {
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
    // Down by half over 224 frames, 16 less than the latency, as an S: at most 2 x 0.5 / 224 a frame, bent by
    // 4 x 0.5 / 224².
    let quiet = steps.enumerated().filter { abs($0.offset - 1_000) > 2 }.map { abs($0.element) }
    let calm = bends.enumerated().filter { abs($0.offset - 1_000) > 2 }.map(\.element)
    #expect((quiet.max() ?? 1) < 1.05 * 2 * 0.5 / 224)
    #expect((calm.max() ?? 1) < 1.2 * 4 * 0.5 / (224 * 224))
  }

  @Test func `the release covers 63 % of the gain in its time`() throws {
    let instance = try ModuleInstance(
      ModuleLibrary("limiter"), [("ceiling", -6), ("release", 200)])
    let hot = [Float](repeating: 1, count: 9_600) + [Float](repeating: 0.1, count: 40_000)
    let output = try instance.render([hot])[0]
    let floor = pow(10, -6.0 / 20)
    // The held minimum and the two averages together are centred: half the look-ahead after the frame.
    let due = 9_600 + 240 + 112 + 9_600
    let gain = Double(output[due]) / 0.1
    #expect(abs(gain - (1 - (1 - floor) * exp(-1))) < 0.005)
  }

  @Test func `both channels have the same gain reduction`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("ceiling", -6)])
    let output = try instance.render(
      [Signals.noise(9_600, peak: 4), [Float](repeating: 0.25, count: 9_600)])
    let turnedDown = output[1].dropFirst(1_000).map { abs($0) }.max() ?? 1
    #expect(turnedDown < 0.25 * 0.3)
  }

  @Test func `NaN becomes silence and has no later effect`() throws {
    let instance = try ModuleInstance(ModuleLibrary("limiter"))
    var input = Signals.sine(440, 9_600, peak: 0.5)
    input[2_000] = .nan
    input[3_000] = .infinity
    let output = try instance.render([input])[0]
    #expect(output[2_240] == 0)
    #expect(output[3_240] == 0)
    #expect(output[4_000] == input[3_760])
  }

  // MARK: - True peaks

  /// The highest point of a waveform in dBTP: a sinc of 128 frames at 16 times the rate, without its ends.
  private func waveformPeak(_ channel: [Float]) -> Double {
    let reach = 64
    let taps = (0 ..< 16).map { phase in
      (-reach + 1 ... reach).map { tap -> Float in
        let x = Double(tap) - Double(phase) / 16
        let window = 0.5 + 0.5 * cos(.pi * x / Double(reach))
        return Float(abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x) * window)
      }
    }
    var highest: Float = 0
    for frame in 2_000 ..< channel.count - 2_000 {
      for phase in taps {
        var sum: Float = 0
        for tap in 0 ..< 2 * reach { sum += phase[tap] * channel[frame + tap - reach + 1] }
        highest = max(highest, abs(sum))
      }
    }
    return Measure.decibels(Double(highest))
  }

  @Test(arguments: [997.0, 8_000, 11_025, 12_000, 15_000, 19_000], [0.0, 45, 77])
  func `with true peaks no waveform exceeds the ceiling`(hertz: Double, degrees: Double) throws {
    let input = (0 ..< 9_600).map { frame in
      Float(1.9 * sin(2 * .pi * (hertz * Double(frame) / 48_000 + degrees / 360)))
    }
    let instance = try ModuleInstance(ModuleLibrary("limiter"), [("true_peak", 1)])
    let peak = try waveformPeak(instance.render([input])[0])
    // The edge at the beginning is reduced further, and the gain has not recovered yet.
    #expect(peak < -1 + 0.1 && peak > -2, "\(peak) dBTP")
  }

  @Test(arguments: [Float(1), 100])
  func `with true peaks speech and music do not exceed the ceiling either`(release: Float) throws {
    let values = [("true_peak", 1), ("release", release)]
    for programme in ModuleTestSupport.Programme.allCases {
      let input = ModuleTestSupport.Programme.scaled(programme.channels, by: 3)
      let output = try ModuleInstance(ModuleLibrary("limiter"), values).render(input)
      // Measured by libebur128.
      let peak = Loudness.truePeak(output)
      #expect(peak < -1 + 0.1, "\(programme): \(peak) dBTP")
    }
  }

  @Test func `true peaks below the ceiling are only delayed, bit for bit`() throws {
    let instance = try ModuleInstance(
      ModuleLibrary("limiter"), [("ceiling", 0), ("true_peak", 1)])
    let input = Signals.noise(9_600, peak: 0.3, seed: 7)
    let output = try instance.render([input])[0]
    let delay = instance.latencyFrames
    #expect(Array(output[delay...]) == Array(input[..<(9_600 - delay)]))
  }
}
