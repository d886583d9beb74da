// GateTests.swift: opening and closing of a gate. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct GateTests {
  private func level(_ decibels: Double, _ frameCount: Int) -> [Float] {
    .init(repeating: Float(pow(10, decibels / 20)), count: frameCount)
  }

  private func gains(_ input: [Float], _ values: [(String, Float)]) throws -> [Double] {
    let output = try ModuleInstance(ModuleLibrary("gate"), values).render([input])[0]
    return zip(output, input).map { Measure.decibels(Double($0) / Double($1)) }
  }

  private let quick: [(String, Float)] = [("attack", 0.05), ("hold", 0), ("release", 1)]

  @Test(arguments: [Float(-60), -40, -10])
  func `it opens at the threshold and not below`(threshold: Float) throws {
    let above = try gains(level(Double(threshold) + 0.1, 9_600), quick + [("threshold", threshold)])
    let below = try gains(level(Double(threshold) - 0.1, 9_600), quick + [("threshold", threshold)])
    #expect(above[9_599] == 0)
    #expect(abs(below[9_599] - -60) < 0.001)
  }

  @Test(arguments: [Float(0), 6, 20])
  func `it closes at the hysteresis below the threshold and not above`(hysteresis: Float) throws {
    let values = quick + [("threshold", -30), ("hysteresis", hysteresis)]
    let edge = -30 - Double(hysteresis)
    let above = try gains(level(-20, 2_400) + level(edge + 0.1, 24_000), values)
    let below = try gains(level(-20, 2_400) + level(edge - 0.1, 24_000), values)
    #expect(above[26_399] == 0)
    #expect(abs(below[26_399] - -60) < 0.001)
  }

  @Test(arguments: [Float(1), 10, 100])
  func `the attack is linear and has the set time`(milliseconds: Float) throws {
    let gain = try gains(level(-20, 9_600), [("attack", milliseconds), ("range", -40)])
    let frames = Int(milliseconds * 48)
    #expect(gain[frames] == 0)
    #expect(gain[frames - 2] < 0)
    let half = pow(10, gain[frames / 2 - 1] / 20)
    #expect(abs(half - (1 + 0.01) / 2) < 0.001)
  }

  @Test(arguments: [Float(0), 50, 500])
  func `it stays open for the hold time, then closes in the release time`(hold: Float) throws {
    let gain = try gains(
      level(-20, 4_800) + level(-80, 96_000),
      [("threshold", -30), ("hysteresis", 0), ("hold", hold), ("release", 100), ("range", -60)])
    // The detector falls from -20 dB to -30 dB in 5 ms x ln 10 / 2.
    let held = 4_800 + Int(0.005 * log(10) / 2 * 48_000) + Int(hold * 48)
    #expect(gain[held - 2] == 0)
    #expect(gain[held + 4] < 0)
    #expect(abs(gain[held + 2_400] - -30) < 0.1)
    #expect(abs(gain[held + 4_810] - -60) < 0.001)
  }

  @Test(arguments: [Float(-90), -20, 0])
  func `a closed gate is at its range`(range: Float) throws {
    let gain = try gains(level(-80, 2_400), [("range", range)])
    #expect(gain.allSatisfy { abs($0 - Double(range)) < 0.001 })
  }

  @Test func `an open gate passes every bit`() throws {
    let input = [Signals.sine(200, 24_000), Signals.noise(24_000, peak: 0.2)]
    let output = try ModuleInstance(ModuleLibrary("gate")).render(input)
    #expect(output[0][4_800...] == input[0][4_800...])
    #expect(output[1][4_800...] == input[1][4_800...])
  }

  @Test func `the louder channel opens both`() throws {
    let quiet = level(-70, 9_600)
    let output = try ModuleInstance(ModuleLibrary("gate")).render([quiet, level(-20, 9_600)])
    #expect(output[0][9_599] == quiet[9_599])
  }

  @Test func `a side chain controls the gate and is not mixed into the output`() throws {
    let quiet = level(-70, 9_600)
    let key = level(-80, 4_800) + level(-20, 4_800)
    let keyed = quick + [("key", 1)]
    let output = try ModuleInstance(ModuleLibrary("gate"), keyed).render([quiet, quiet, key, key])
    let gain = zip(output[0], quiet).map { Measure.decibels(Double($0) / Double($1)) }
    #expect(abs(gain[4_799] - -60) < 0.001)
    #expect(output[0][9_599] == quiet[9_599] && output[1][9_599] == quiet[9_599])
    // One side of it is enough, and the audio input has no effect on the gate.
    let (loud, silent) = (level(-10, 9_600), level(-80, 9_600))
    let one = try ModuleInstance(ModuleLibrary("gate"), keyed).render([quiet, quiet, silent, key])
    #expect(one[0][9_599] == quiet[9_599])
    let shut = try ModuleInstance(ModuleLibrary("gate"), keyed).render([loud, loud, silent, silent])
    #expect(shut[0].allSatisfy { $0 < loud[0] / 900 })
  }

  @Test func `a gate without side chain mode ignores the side chain`() throws {
    let sound = Signals.sine(440, 9_600)
    let (loud, quiet) = (level(0, 9_600), level(-70, 9_600))
    let alone = try ModuleInstance(ModuleLibrary("gate")).render([sound, sound, quiet, quiet])
    let beside = try ModuleInstance(ModuleLibrary("gate")).render([sound, sound, loud, loud])
    let keyed = try ModuleInstance(ModuleLibrary("gate"), [("key", 1)])
      .render([sound, sound, sound, sound])
    #expect(beside == alone)
    #expect(keyed == alone)
  }
}
