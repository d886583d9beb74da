// SpectrumAnalyserTests.swift: each tone in its band, at its level. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct SpectrumAnalyserTests {
  private let library: ModuleLibrary
  /// The exact centres of IEC 61260-1, base ten.
  static let centres = (-17 ... 13).map { 1_000 * pow(10, Double($0) / 10) }

  init() throws { library = try ModuleLibrary("spectrum-analyser") }

  /// Returns the levels of the bands for a signal.
  private func bands(
    _ signal: [[Float]], rate: Double = 48_000, speed: Float = 0
  ) throws -> [Double] {
    let analyser = try ModuleInstance(library, [("speed", speed)], sampleRateHz: rate)
    _ = try analyser.render(signal, blocks: [1_024])
    #expect(analyser.violations == [])
    return analyser.readouts(31).map { Double($0) }
  }

  @Test(arguments: 0 ..< 31)
  func `a tone at the centre of a band has its level there, and less elsewhere`(
    band: Int
  ) throws {
    // Long enough for the narrow bands below 50 Hz, and for the ballistics.
    let tone = Signals.sine(Self.centres[band], 96_000, peak: 0.1)
    let levels = try bands([tone])
    #expect(abs(levels[band] + 20) < 0.3, "\(levels[band]) dB")
    for (other, level) in levels.enumerated() where other != band {
      // A Butterworth of the sixth order is 18 dB down in the next band and 48 dB an octave on. Near half
      // the rate, where the bands above 10 kHz are, their lower sides are less steep.
      let apart = abs(other - band)
      let most = (apart == 1 ? -37.0 : apart == 2 ? -51 : -58) + (band < 27 ? 0 : 5.5)
      #expect(level < most, "\(apart) from \(band): \(level) dB")
    }
  }

  @Test(arguments: [44_100.0, 96_000, 192_000]) func `readings are the same at every rate`(
    rate: Double
  ) throws {
    for band in [4, 17, 23, 28] {
      let tone = Signals.sine(Self.centres[band], Int(1.5 * rate), peak: 0.5, sampleRateHz: rate)
      let levels = try bands([tone], rate: rate)
      #expect(abs(levels[band] + 6.02) < 0.3, "\(levels[band]) dB")
    }
  }

  @Test func `bands above half the rate have -120`() throws {
    let levels = try bands([Signals.noise(16_000)], rate: 16_000)
    #expect(levels[27...].allSatisfy { $0 == -120 })
    #expect(levels[10 ..< 26].allSatisfy { $0 > -40 })
  }

  @Test(arguments: [10, 17, 21]) func `the level at the edge of a band is 3 dB lower`(band: Int)
    throws
  {
    for ratio in [1 / 1.122_018, 1.122_018] {
      let tone = Signals.sine(Self.centres[band] * ratio, 96_000, peak: 0.5)
      let level = try bands([tone], speed: 1)[band]
      // With slow averaging it is within 15 % of the power after two seconds.
      #expect(abs(level + 6.02 + 3.01 + 0.63) < 0.4, "\(level) dB")
    }
  }

  @Test func `white noise rises by a decibel a band, at its power`() throws {
    let noise = [Signals.noise(48_000 * 6, seed: 1), Signals.noise(48_000 * 6, seed: 2)]
    let levels = try bands(noise, speed: 1)
    for band in 10 ..< 31 {
      let width = Self.centres[band] * (1.122_018 - 1 / 1.122_018)
      // Evenly distributed between -1 and 1: a mean square of a third, and twice that relative to a sine.
      let wanted = 10 * log10(2.0 / 3 * width / 24_000)
      #expect(abs(levels[band] - wanted) < 1, "\(band): \(levels[band]), not \(wanted) dB")
    }
  }

  @Test func `a signal on one side counts half`() throws {
    let levels = try bands([Signals.sine(1_000, 96_000, peak: 0.1), Signals.silence(96_000)])
    #expect(abs(levels[17] + 23.01) < 0.1)
  }

  @Test(arguments: [(Float(0), 0.125), (1, 1.0)]) func `levels fall as on a sound level meter`(
    speed: Float, seconds: Double
  ) throws {
    let analyser = try ModuleInstance(library, [("speed", speed)])
    _ = try analyser.render([Signals.sine(2_000, 192_000, peak: 0.5)], blocks: [1_024])
    _ = try analyser.render([Signals.silence(2_400)])
    let before = Double(analyser.readouts(31)[20])
    _ = try analyser.render([Signals.silence(9_600)])
    let fall = before - Double(analyser.readouts(31)[20])
    #expect(abs(fall - 4.343 * 0.2 / seconds) < 0.05, "\(fall) dB in 0.2 s")
  }

  @Test func `every bit passes, and readings do not depend on blocks`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, peak: 2, seed: 2)]
    let (whole, pieces) = (try ModuleInstance(library), try ModuleInstance(library))
    #expect(try whole.render(input, blocks: [1_024]) == input)
    #expect(try pieces.render(input, blocks: [1, 63, 64, 65]) == input)
    #expect(whole.readouts(31) == pieces.readouts(31))
  }

  @Test func `silence reads -120, and samples that are not finite have no later effect`() throws {
    let analyser = try ModuleInstance(library)
    _ = try analyser.render([Signals.silence(4_800)])
    #expect(analyser.readouts(31).allSatisfy { $0 == -120 })
    _ = try analyser.render([[.nan, .infinity, -.infinity, .greatestFiniteMagnitude]])
    _ = try analyser.render([Signals.sine(1_000, 96_000, peak: 0.1)])
    #expect(abs(analyser.readouts(31)[17] + 20) < 0.1)
  }
}
