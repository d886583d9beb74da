// CompressorTests.swift: the curve and the times of the controls. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

/// A square wave at half the sample rate: its peak is its level at every frame.
private func alternating(_ frameCount: Int, decibels: (Int) -> Double) -> [Float] {
  (0 ..< frameCount).map { frame in
    Float((frame % 2 == 0 ? 1 : -1) * pow(10, decibels(frame) / 20))
  }
}

/// The gain in dB at each frame.
private func gains(_ output: [Float], _ input: [Float]) -> [Double] {
  zip(output, input).map { Measure.decibels(Double(abs($0)) / Double(abs($1))) }
}

@Suite struct CompressorTests {
  @Test(arguments: [(Float(4), Float(0)), (4, 6), (2, 12), (20, 24), (1.5, 3)])
  func `the static curve is the stated one`(ratio: Float, knee: Float) throws {
    let threshold = -30.0
    let slope = 1 - 1 / Double(ratio)
    for level in stride(from: -70.0, through: 0, by: 2.5) {
      let input = alternating(20_000) { _ in level }
      let instance = try ModuleInstance(
        ModuleLibrary("compressor"),
        [
          ("auto_makeup", 0), ("threshold", -30), ("ratio", ratio), ("knee", knee), ("attack", 1),
          ("release", 5),
        ])
      let output = try instance.render([input])[0]
      let over = level - threshold
      let half = Double(knee) / 2
      let wanted =
        over <= -half ? 0 : over >= half ? slope * over : slope * pow(over + half, 2) / (4 * half)
      let measured = try -#require(gains(output, input).last)
      #expect(abs(measured - wanted) < 0.01, "at \(level) dB: \(measured), not \(wanted)")
    }
  }

  @Test(arguments: [100.0, 1_000, 5_000])
  func `the gain reduction of a sine follows its peak`(frequencyHz: Double) throws {
    let input = Signals.sine(frequencyHz, 96_000)
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"),
      [
        ("auto_makeup", 0), ("threshold", -20), ("ratio", 4), ("knee", 0), ("attack", 20),
        ("release", 2_500),
      ])
    let output = try instance.render([input])[0]
    let level = Measure.levelDecibels(of: frequencyHz, in: output.suffix(24_000))
    #expect(abs(level - -15) < 0.1)
  }

  @Test(arguments: [Float(1), 10, 100])
  func `the attack covers 63 % of the decibels in its time`(milliseconds: Float) throws {
    let input = alternating(60_000) { $0 < 4_800 ? -60 : 0 }
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"),
      [("auto_makeup", 0), ("threshold", -20), ("ratio", 4), ("knee", 0), ("attack", milliseconds)])
    let gain = try gains(instance.render([input])[0], input)
    let due = 4_800 + Int(milliseconds * 48)
    #expect(gain[4_799] == 0)
    #expect(abs(gain[due - 1] - -15 * (1 - exp(-1))) < 0.02)
    #expect(abs(gain[59_999] - -15) < 0.02)
  }

  @Test(arguments: [Float(50), 200, 1_000])
  func `the release covers 63 % of the decibels in its time`(milliseconds: Float) throws {
    let input = alternating(150_000) { $0 < 24_000 ? 0 : -60 }
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"),
      [
        ("auto_makeup", 0), ("threshold", -20), ("ratio", 4), ("knee", 0), ("attack", 0.1),
        ("release", milliseconds),
      ])
    let gain = try gains(instance.render([input])[0], input)
    let due = 24_000 + Int(milliseconds * 48)
    // The attack of 0.1 ms adds its own delay to the release.
    #expect(abs(gain[due] - -15 * exp(-1)) < 0.05)
  }

  @Test func `both channels have the same gain reduction`() throws {
    let loud = Signals.sine(1_000, 24_000)
    let quiet = Signals.sine(700, 24_000, peak: 0.001)
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"), [("auto_makeup", 0), ("attack", 1)])
    let output = try instance.render([loud, quiet])
    for frame in stride(from: 12_001, to: 24_000, by: 97) {
      let ratios = (output[0][frame] / loud[frame], output[1][frame] / quiet[frame])
      guard abs(loud[frame]) > 0.01, abs(quiet[frame]) > 1e-5 else { continue }
      #expect(abs(ratios.0 - ratios.1) < 1e-5)
      #expect(ratios.0 < 0.5)
    }
  }

  @Test func `signals below the threshold pass bit for bit`() throws {
    let input = [Signals.noise(20_000, peak: 0.05), Signals.noise(20_000, peak: 0.05, seed: 2)]
    #expect(
      try ModuleInstance(ModuleLibrary("compressor"), [("auto_makeup", 0)]).render(input) == input)
  }

  @Test func `without mix there is no compression, and half a mix is half of each`() throws {
    let input = alternating(40_000) { _ in 0 }
    func level(_ mix: Float) throws -> Double {
      let instance = try ModuleInstance(
        ModuleLibrary("compressor"),
        [("auto_makeup", 0), ("threshold", -40), ("ratio", 20), ("mix", mix)])
      return try Double(abs(#require(instance.render([input])[0].last)))
    }
    let (dry, half, wet) = try (level(0), level(50), level(100))
    #expect(dry == 1)
    #expect(wet < 0.02)
    #expect(abs(half - (dry + wet) / 2) < 1e-6)
  }

  @Test(arguments: [(Float(-18), Float(4), Float(6)), (-40, 20, 0), (-10, 2, 12), (0, 4, 0)])
  func `the automatic make-up gain is the reduction at -15.5 dB`(
    threshold: Float, ratio: Float, knee: Float
  ) throws {
    let input = alternating(40_000) { _ in -15.5 }
    let instance = try ModuleInstance(
      ModuleLibrary("compressor"),
      [("threshold", threshold), ("ratio", ratio), ("knee", knee), ("makeup", 2)])
    let gain = try gains(instance.render([input])[0], input)
    #expect(abs(gain[39_999] - 2) < 0.01, "\(gain[39_999]) dB")
  }

  @Test func `the high-pass of the detector prevents pumping by bass`() throws {
    let bass = Signals.sine(50, 96_000)
    func level(_ cutoff: Float) throws -> Double {
      let instance = try ModuleInstance(
        ModuleLibrary("compressor"),
        [
          ("auto_makeup", 0), ("threshold", -20), ("knee", 0), ("release", 200),
          ("detector_high_pass", cutoff),
        ])
      return try Measure.levelDecibels(of: 50, in: instance.render([bass])[0].suffix(48_000))
    }
    #expect(try level(10) < -13)
    // Two octaves above the tone a Butterworth filter attenuates by 24.1 dB.
    #expect(try abs(level(200)) < 0.1)
  }

  @Test func `a side chain controls the gain and is not mixed into the output`() throws {
    let quiet = alternating(48_000) { _ in -40 }
    let key = alternating(48_000) { $0 < 24_000 ? -80 : 0 }
    let values: [(String, Float)] = [
      ("auto_makeup", 0), ("threshold", -20), ("ratio", 4), ("knee", 0), ("attack", 1),
      ("release", 50), ("key", 1),
    ]
    let instance = try ModuleInstance(ModuleLibrary("compressor"), values)
    let gain = try gains(instance.render([quiet, quiet, key, key])[0], quiet)
    #expect(abs(gain[23_999]) < 0.001 && abs(gain[47_999] - -15) < 0.02)
    // One side of it is enough.
    let one = try ModuleInstance(ModuleLibrary("compressor"), values)
    let half = try gains(one.render([quiet, quiet, quiet, key])[1], quiet)
    #expect(abs(half[47_999] - -15) < 0.02)
  }

  @Test func `a compressor without side chain mode ignores the side chain`() throws {
    let sound = Signals.sine(440, 9_600)
    let loud = alternating(9_600) { _ in 0 }
    let values: [(String, Float)] = [("auto_makeup", 0), ("threshold", -20)]
    let alone = try ModuleInstance(ModuleLibrary("compressor"), values)
    let beside = try ModuleInstance(ModuleLibrary("compressor"), values)
    let keyed = try ModuleInstance(ModuleLibrary("compressor"), values + [("key", 1)])
    let wanted = try alone.render([sound, sound, sound, sound])
    #expect(try beside.render([sound, sound, loud, loud]) == wanted)
    #expect(try keyed.render([sound, sound, sound, sound]) == wanted)
  }
}
