// LoudnessMeterTests.swift: EBU Tech 3341 and 3342, and libebur128. SPDX-License-Identifier: MIT

import CEbur128
import Foundation
import ModuleTestSupport
import Testing

@Suite struct LoudnessMeterTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("loudness-meter") }

  /// The readouts, in the manifest's order.
  struct Reading {
    let momentary, shortTerm, integrated, range, truePeak, samplePeak: Float
    let momentaryMaximum, shortTermMaximum: Float

    init(_ meter: ModuleInstance) {
      let values = meter.readouts(8)
      (momentary, shortTerm, integrated, range) = (values[0], values[1], values[2], values[3])
      (truePeak, samplePeak) = (values[4], values[5])
      (momentaryMaximum, shortTermMaximum) = (values[6], values[7])
    }
  }

  private func measure(
    _ signal: [[Float]], sampleRateHz: Double = 48_000, blocks: [Int] = [1_024]
  ) throws -> Reading {
    let meter = try ModuleInstance(library, sampleRateHz: sampleRateHz)
    _ = try meter.render(signal, blocks: blocks)
    #expect(meter.violations == [])
    return Reading(meter)
  }

  /// 1 kHz at levels in dBFS, each for some seconds, on both channels.
  private func tone(_ parts: [(Double, Double)], rate: Double = 48_000) -> [[Float]] {
    var phase = 0.0
    var signal: [Float] = []
    for (level, seconds) in parts {
      let peak = pow(10, level / 20)
      for _ in 0 ..< Int((seconds * rate).rounded()) {
        signal.append(Float(peak * sin(2 * .pi * phase)))
        phase = (phase + 1_000 / rate).truncatingRemainder(dividingBy: 1)
      }
    }
    return [signal, signal]
  }

  // MARK: - EBU Tech 3341, table 1

  @Test(arguments: [-23.0, -33]) func `cases 1 and 2: a steady tone`(level: Double) throws {
    let reading = try measure(tone([(level, 20)]))
    for value in [reading.momentary, reading.shortTerm, reading.integrated] {
      #expect(abs(Double(value) - level) < 0.1, "\(value)")
    }
  }

  @Test(arguments: [
    [(-36.0, 10.0), (-23, 60), (-36, 10)],
    [(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)],
    [(-26, 20), (-20, 20.1), (-26, 20)],
  ])
  func `cases 3 to 5: both gates`(parts: [(Double, Double)]) throws {
    let reading = try measure(tone(parts))
    #expect(abs(reading.integrated + 23) < 0.1, "\(reading.integrated)")
  }

  @Test func `case 9: the short-term loudness of a signal that repeats in three seconds`() throws {
    let meter = try ModuleInstance(library)
    let parts = (0 ..< 10).map { $0 % 2 == 0 ? (-20.0, 1.34) : (-30, 1.66) }
    let signal = tone(parts)[0]
    var loudest: Float = -200
    var faintest: Float = 0
    for start in stride(from: 0, to: signal.count, by: 4_800) {
      _ = try meter.render([Array(signal[start ..< start + 4_800])], blocks: [1_024])
      guard start >= 48_000 * 3 else { continue }
      loudest = max(loudest, Reading(meter).shortTerm)
      faintest = min(faintest, Reading(meter).shortTerm)
    }
    #expect(abs(loudest + 23) < 0.1 && abs(faintest + 23) < 0.1, "\(faintest) to \(loudest)")
  }

  @Test func `case 12: the momentary loudness of a signal that repeats in 0.4 s`() throws {
    let meter = try ModuleInstance(library)
    let signal = tone((0 ..< 50).map { $0 % 2 == 0 ? (-20, 0.18) : (-30, 0.22) })[0]
    for start in stride(from: 0, to: signal.count, by: 4_800) {
      _ = try meter.render([Array(signal[start ..< start + 4_800])], blocks: [1_024])
      guard start >= 48_000 else { continue }
      #expect(abs(Reading(meter).momentary + 23) < 0.1)
    }
  }

  // Amplitude, frequency relative to the rate, phase in degrees, dBTP.
  @Test(arguments: [
    (0.5, 4.0, 0.0, -6.0), (0.5, 4, 45, -6), (0.5, 6, 60, -6), (0.5, 8, 67.5, -6), (1.41, 4, 45, 3),
  ])
  func `cases 15 to 19: peaks between the samples`(
    peak: Double, share: Double, degrees: Double, wanted: Double
  ) throws {
    let signal = (0 ..< 9_600).map { frame in
      // Fades at both ends avoid additional peaks.
      let fade = min(1, Double(min(frame, 9_599 - frame)) / 480)
      return Float(fade * peak * sin(2 * .pi * (Double(frame) / share + degrees / 360)))
    }
    let reading = try measure([signal])
    #expect(Double(reading.truePeak) - wanted > -0.4 && Double(reading.truePeak) - wanted < 0.2)
    #expect(abs(Double(reading.samplePeak) - Measure.peakDecibels(signal)) < 0.01)
  }

  // MARK: - EBU Tech 3342, table 1

  @Test(arguments: [
    [-20.0, -30], [-20, -15], [-40, -20], [-50, -35, -20, -35, -50],
  ])
  func `the loudness range of steps`(levels: [Double]) throws {
    // The two outer steps of the five are below the gate.
    let range = levels.count == 5 ? 15 : Float(abs(levels[0] - levels[1]))
    let signal = tone(levels.map { ($0, 20) }, rate: 16_000)
    let reading = try measure(signal, sampleRateHz: 16_000)
    #expect(abs(reading.range - range) < 1, "\(reading.range)")
  }

  // MARK: - Comparison with libebur128

  /// Filtered noise of varying level, like a programme with quiet passages.
  private func programme(_ seconds: Double, rate: Double) -> [[Float]] {
    [UInt64(1), 2].map { seed in
      var smooth: Float = 0
      return Signals.noise(Int(seconds * rate), seed: seed).enumerated().map { frame, sample in
        smooth += 0.2 * (sample - smooth)
        let time = Double(frame) / rate
        let decibels = -24 + 14 * sin(2 * .pi * time / 17) + 6 * sin(2 * .pi * time * 0.9)
        return (smooth + 0.2 * sample) * Float(pow(10, decibels / 20))
      }
    }
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `readings equal those of libebur128`(rate: Double) throws {
    let signal = programme(rate > 48_000 ? 12 : 30, rate: rate)
    let reading = try measure(signal, sampleRateHz: rate)
    let modes =
      EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue
      | EBUR128_MODE_TRUE_PEAK.rawValue | EBUR128_MODE_SAMPLE_PEAK.rawValue
    var state = ebur128_init(2, UInt(rate), Int32(modes))
    defer { ebur128_destroy(&state) }
    let interleaved = zip(signal[0], signal[1]).flatMap { [$0, $1] }
    ebur128_add_frames_float(state, interleaved, signal[0].count)
    var (momentary, shortTerm, integrated, range) = (0.0, 0.0, 0.0, 0.0)
    ebur128_loudness_momentary(state, &momentary)
    ebur128_loudness_shortterm(state, &shortTerm)
    ebur128_loudness_global(state, &integrated)
    ebur128_loudness_range(state, &range)
    #expect(abs(Double(reading.momentary) - momentary) < 0.01, "\(momentary)")
    #expect(abs(Double(reading.shortTerm) - shortTerm) < 0.01, "\(shortTerm)")
    #expect(abs(Double(reading.integrated) - integrated) < 0.02, "\(integrated)")
    // In 12 s there are too few short-term blocks for a comparison: one per second there, ten here.
    #expect(rate > 48_000 || abs(Double(reading.range) - range) < 0.5, "\(reading.range), \(range)")
    var (truePeak, samplePeak) = (0.0, 0.0)
    for channel in 0 ..< 2 {
      var peak = 0.0
      ebur128_true_peak(state, UInt32(channel), &peak)
      truePeak = max(truePeak, peak)
      ebur128_sample_peak(state, UInt32(channel), &peak)
      samplePeak = max(samplePeak, peak)
    }
    #expect(abs(Double(reading.truePeak) - Measure.decibels(truePeak)) < 0.15)
    #expect(abs(Double(reading.samplePeak) - Measure.decibels(samplePeak)) < 0.001)
  }

  // MARK: - A meter in a chain

  @Test func `every bit of any value passes`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, peak: 2, seed: 2)]
    #expect(try ModuleInstance(library).render(input) == input)
  }

  @Test func `readings are the same for every block length`() throws {
    let signal = programme(4, rate: 48_000)
    let whole = try ModuleInstance(library)
    _ = try whole.render(signal, blocks: [1_024])
    let pieces = try ModuleInstance(library)
    _ = try pieces.render(signal, blocks: [1, 37, 300, 64])
    #expect(whole.readouts(8) == pieces.readouts(8))
  }

  @Test func `pause keeps the measurement, restart clears it`() throws {
    let meter = try ModuleInstance(library)
    _ = try meter.render(tone([(-20, 5)]))
    let before = Reading(meter)
    try meter.set("pause", 1)
    _ = try meter.render(tone([(-3, 5)]))
    let paused = Reading(meter)
    #expect(paused.integrated == before.integrated && paused.range == before.range)
    #expect(paused.truePeak == before.truePeak && paused.samplePeak == before.samplePeak)
    #expect(paused.momentaryMaximum == before.momentaryMaximum)
    #expect(abs(paused.momentary + 3) < 0.1)
    _ = try meter.render(tone([(-30, 1)]))
    try meter.set("pause", 0)
    try meter.set("restart", 1)
    _ = try meter.render(tone([(-30, 5)]))
    let anew = Reading(meter)
    #expect(abs(anew.integrated + 30) < 0.1 && abs(anew.momentaryMaximum + 30) < 0.1)
    #expect(abs(anew.samplePeak + 30) < 0.1)
  }

  @Test func `silence reads -120, and samples that are not finite have no later effect`() throws {
    let meter = try ModuleInstance(library)
    _ = try meter.render([Signals.silence(48_000)])
    #expect(meter.readouts(8) == [-120, -120, -120, 0, -120, -120, -120, -120])
    _ = try meter.render([[.nan, .infinity, -.infinity, .greatestFiniteMagnitude]])
    _ = try meter.render(tone([(-23, 5)]))
    let reading = Reading(meter)
    #expect(abs(reading.integrated + 23) < 0.2 && abs(reading.truePeak + 23) < 0.1)
  }
}
