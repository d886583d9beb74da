// TunerTests.swift: the right note, to the cent. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct TunerTests {
  private let library: ModuleLibrary

  init() throws { library = try ModuleLibrary("tuner") }

  /// The readouts after a third of a second of a signal.
  private struct Reading {
    let pitch, note, cents, level, clarity: Float

    init(
      _ library: ModuleLibrary, _ signal: [[Float]], _ values: [(String, Float)] = [],
      rate: Double = 48_000, blocks: [Int] = [512]
    ) throws {
      let tuner = try ModuleInstance(library, values, sampleRateHz: rate)
      _ = try tuner.render(signal, blocks: blocks)
      let read = tuner.readouts(5)
      (pitch, note, cents, level, clarity) = (read[0], read[1], read[2], read[3], read[4])
      #expect(tuner.violations == [])
    }

    func cents(from frequencyHz: Double) -> Double {
      pitch > 0 ? abs(1_200 * log2(Double(pitch) / frequencyHz)) : .infinity
    }
  }

  /// Partials at multiples of a frequency, each with its amplitude.
  private func tone(
    _ frequencyHz: Double, _ amplitudes: [Double], rate: Double = 48_000, seconds: Double = 0.35
  ) -> [Float] {
    let captured = amplitudes.enumerated().filter { Double($0.0 + 1) * frequencyHz < 0.45 * rate }
    return (0 ..< Int(seconds * rate)).map { frame in
      let turns = frequencyHz * Double(frame) / rate
      return Float(
        captured.reduce(0) {
          $0 + $1.1 * sin(2 * .pi * (Double($1.0 + 1) * turns + 0.1 * Double($1.0)))
        })
    }
  }

  /// The notes of a piano, some of them a third of a semitone off.
  static let pitches = stride(from: 21.0, through: 108, by: 2.9).map {
    440 * pow(2, ($0 - 69) / 12)
  }

  @Test(arguments: pitches) func `the reading of a sine is correct within a cent`(
    frequencyHz: Double
  ) throws {
    let reading = try Reading(library, [tone(frequencyHz, [0.5])])
    #expect(reading.cents(from: frequencyHz) < 1, "\(reading.pitch) Hz")
    #expect(reading.clarity > 95)
  }

  @Test(arguments: pitches) func `the reading of a tone with harmonics is correct within a cent`(
    frequencyHz: Double
  ) throws {
    let reading = try Reading(library, [tone(frequencyHz, (1 ... 12).map { 0.3 / Double($0) })])
    #expect(reading.cents(from: frequencyHz) < 1, "\(reading.pitch) Hz")
  }

  @Test(arguments: pitches.filter { $0 < 2_000 }, [0, 0.02])
  func `a note whose fundamental is missing or weak is detected within a cent`(
    frequencyHz: Double, fundamental: Double
  ) throws {
    let amplitudes = [fundamental] + [Double](repeating: 0.1, count: 5)
    let reading = try Reading(library, [tone(frequencyHz, amplitudes)])
    #expect(reading.cents(from: frequencyHz) < 1, "\(reading.pitch) Hz")
  }

  @Test(arguments: pitches)
  func `the reading of a tone in noise 20 dB below it is correct within a cent`(frequencyHz: Double)
    throws
  {
    let clean = tone(frequencyHz, (1 ... 6).map { 0.3 / Double($0) })
    let level = Float(pow(10, (Measure.rmsDecibels(clean) - 20) / 20) * 3.0.squareRoot())
    let noise = Signals.noise(clean.count, peak: level, seed: UInt64(frequencyHz))
    let reading = try Reading(library, [zip(clean, noise).map { $0 + $1 }])
    #expect(reading.cents(from: frequencyHz) < 1, "\(reading.pitch) Hz")
  }

  @Test(arguments: [16_000.0, 44_100, 96_000, 192_000], [41.2, 440, 2_637])
  func `readings are the same at every rate`(rate: Double, frequencyHz: Double) throws {
    let signal = tone(frequencyHz, [0.3, 0.2, 0.1], rate: rate)
    let reading = try Reading(library, [signal], rate: rate)
    #expect(reading.cents(from: frequencyHz) < 1, "\(reading.pitch) Hz")
  }

  @Test(arguments: [
    (440.0, Float(440), Float(69), Float(0)), (445, 440, 69, 19.56), (440, 442, 69, -7.85),
    (82.41, 440, 40, 0.1), (261.63, 415, 61, 1.2),
  ])
  func `note and cents follow from the reference`(
    frequencyHz: Double, reference: Float, note: Float, cents: Float
  ) throws {
    let reading = try Reading(
      library, [tone(frequencyHz, [0.3, 0.1])], [("reference", reference)])
    #expect(reading.note == note)
    #expect(abs(reading.cents - cents) < 1, "\(reading.cents)")
  }

  @Test func `the level is that of the input, and below the threshold there is no pitch`() throws {
    let signal = tone(440, [0.002])
    let captured = try Reading(library, [signal], [("threshold", -70)])
    #expect(abs(captured.level + 57) < 0.3 && captured.pitch > 0, "\(captured.level)")
    let ignored = try Reading(library, [signal], [("threshold", -50)])
    #expect(abs(ignored.level + 57) < 0.3)
    #expect([ignored.pitch, ignored.note, ignored.cents, ignored.clarity] == [0, 0, 0, 0])
    let silent = try Reading(library, [Signals.silence(20_000)])
    #expect(silent.level == -120 && silent.pitch == 0)
  }

  @Test func `noise has little clarity, and a DC offset no pitch`() throws {
    let noise = try Reading(library, [Signals.noise(20_000, peak: 0.5)])
    #expect(noise.clarity < 60, "\(noise.clarity)")
    let offset = try Reading(library, [[Float](repeating: 0.5, count: 96_000)])
    #expect(offset.pitch == 0 && offset.level < -60)
  }

  @Test func `a new note is recognised within a quarter of a second`() throws {
    let tuner = try ModuleInstance(library)
    _ = try tuner.render([tone(110, [0.3, 0.2], seconds: 0.5)])
    _ = try tuner.render([tone(146.83, [0.3, 0.2], seconds: 0.25)])
    #expect(abs(1_200 * log2(Double(tuner.readouts(5)[0]) / 146.83)) < 2)
  }

  @Test func `readings are the same for every block length`() throws {
    let signal = [tone(196, [0.3, 0.2]), Signals.noise(16_800, peak: 0.05)]
    let whole = try ModuleInstance(library)
    _ = try whole.render(signal, blocks: [1_024])
    let pieces = try ModuleInstance(library)
    _ = try pieces.render(signal, blocks: [1, 37, 300, 64])
    #expect(whole.readouts(5) == pieces.readouts(5))
  }

  @Test func `every bit passes, or silence after a short fade`() throws {
    let input = [Signals.noise(9_000, seed: 1), Signals.noise(9_000, peak: 2, seed: 2)]
    #expect(try ModuleInstance(library).render(input) == input)
    let sine = Signals.sine(220, 24_000, peak: 0.25)
    let muted = try ModuleInstance(library).render([sine], changes: [.init(at: 12_000, "mute", 1)])[
      0]
    #expect(muted.prefix(12_000) == sine.prefix(12_000))
    #expect(muted.suffix(8_000).allSatisfy { $0 == 0 })
    let high = Measure.band(muted, fromHz: 10_000, toHz: 20_000)[6_000...]
    #expect(Measure.peakDecibels(high) < -60)
  }
}
