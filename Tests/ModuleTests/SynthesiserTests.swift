// SynthesiserTests.swift: pitch, spectrum, filter, envelopes and voices. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct SynthesiserTests {
  private let library: ModuleLibrary
  /// One sine in the middle, an open filter, and a level that is reached at once and stays.
  private let plain: [(String, Float)] = [
    ("waveform_1", 3), ("balance", 0), ("filter", 0), ("cutoff", 20_000), ("resonance", 0),
    ("key_follow", 0), ("filter_envelope", 0), ("filter_velocity", 0), ("attack", 1),
    ("sustain", 100), ("release", 5), ("velocity", 0), ("spread", 0), ("level", 0),
  ]

  init() throws { library = try ModuleLibrary("synthesiser") }

  private typealias Message = ModuleInstance.Message

  private func render(
    _ messages: [Message], _ frameCount: Int = 48_000, _ values: [(String, Float)] = [],
    rate: Double = 48_000
  ) throws -> [Float] {
    try ModuleInstance(library, plain + values, sampleRateHz: rate)
      .render(frameCount: frameCount, messages: messages)[0]
  }

  private func note(_ key: UInt8, at frame: Int = 0, _ velocity: UInt8 = 100) -> Message {
    Message(at: frame, [0x90, key, velocity])
  }

  /// The frequency of a steady tone, from its upward zero crossings.
  private func pitchHz(_ samples: ArraySlice<Float>, rate: Double = 48_000) -> Double {
    let signal = Array(samples)
    let crossings = signal.indices.dropLast().filter { signal[$0] < 0 && signal[$0 + 1] >= 0 }
      .map { Double($0) + Double(signal[$0] / (signal[$0] - signal[$0 + 1])) }
    guard let first = crossings.first, let last = crossings.last else { return 0 }
    return Double(crossings.count - 1) / (last - first) * rate
  }

  private func cents(_ hertz: Double, _ reference: Double) -> Double {
    1_200 * log2(hertz / reference)
  }

  @Test(arguments: [UInt8(33), 60, 69, 96])
  func `a key plays at its pitch from its frame on, at every rate`(key: UInt8) throws {
    for rate in [44_100.0, 48_000, 96_000] {
      let output = try render([note(key, at: 1_000)], 48_000, rate: rate)
      #expect(output[..<1_000].allSatisfy { $0 == 0 })
      #expect(output[1_000 ..< 1_100].contains { abs($0) > 0.001 })
      let expected = 440 * pow(2, (Double(key) - 69) / 12)
      #expect(abs(cents(pitchHz(output[4_000...], rate: rate), expected)) < 0.5)
    }
  }

  @Test func `the bend, the second oscillator and its detune change the pitch by the set amount`()
    throws
  {
    let bent = try render([note(69), Message(at: 0, [0xe0, 127, 127])])
    #expect(abs(cents(pitchHz(bent[4_000...]), 440) - 200) < 1)
    let far = try render([note(69), Message(at: 0, [0xe0, 0, 0])], 48_000, [("bend_range", 12)])
    #expect(abs(cents(pitchHz(far[4_000...]), 440) + 1_200) < 1)
    let second = try render(
      [note(69)], 48_000,
      [("balance", 100), ("waveform_2", 3), ("semitones", 7), ("detune", -20)])
    #expect(abs(cents(pitchHz(second[4_000...]), 440) - 680) < 0.5)
  }

  @Test(arguments: [0, 1, 2])
  func `waveforms have the harmonics of their names and few aliases`(waveform: Int) throws {
    let output = try render([note(93)], 96_000, [("waveform_1", Float(waveform)), ("filter", 0)])
    let spectrum = Spectrum(output.suffix(65_536))
    func level(_ hertz: Double) -> Double {
      spectrum.peakDecibels(fromHz: hertz - 5, toHz: hertz + 5)
    }
    let first = level(1_760)
    // Relative to the first: 1 / n, only odd ones for squares, 1 / n² of the odd ones for triangles. The
    // kernel attenuates the third by 0.6 dB at this pitch.
    let third = [-9.54, -9.54, -19.08][waveform]
    #expect(abs(level(5_280) - first - third) < 1)
    if waveform == 0 { #expect(abs(level(3_520) - first + 6.02) < 0.6) }
    if waveform > 0 { #expect(level(3_520) - first < -60) }
    let aliases = (0 ..< 11).map { number in
      let lower = Double(number) * 1_760
      return spectrum.peakDecibels(fromHz: lower + 20, toHz: lower + 1_740)
    }
    #expect((aliases.prefix(6).max() ?? 0) - first < -75, "\(aliases)")
    #expect((aliases.max() ?? 0) - first < -50, "\(aliases)")
  }

  @Test(arguments: [
    (0, 1_000.0, -3.01), (0, 4_000, -24.1), (1, 1_000, -3.01), (1, 4_000, -48.2), (2, 1_000, 0),
    (3, 1_000, -3.01), (3, 250, -24.1),
  ])
  func `each filter has the slope of its name`(mode: Int, frequencyHz: Double, expected: Double)
    throws
  {
    // A sine of that frequency: the key's pitch, bent to it.
    let key = UInt8((69 + 12 * log2(frequencyHz / 440)).rounded())
    let sound = 440 * pow(2, (Double(key) - 69) / 12)
    // The corner is where the tested frequency has its ratio to 1 kHz.
    let values: [(String, Float)] = [
      ("filter", Float(mode)), ("cutoff", Float(sound * 1_000 / frequencyHz)),
    ]
    let open = try render([note(key)])
    let filtered = try render([note(key)], 48_000, values)
    let difference =
      Measure.levelDecibels(of: sound, in: filtered[24_000...])
      - Measure.levelDecibels(of: sound, in: open[24_000...])
    // The bilinear transform makes the far skirts slightly steeper.
    #expect(abs(difference - expected) < 0.9, "\(difference)")
  }

  @Test func `resonance raises the corner, up to 26 dB`() throws {
    let sound = 440 * pow(2, (84 - 69) / 12.0)
    func level(_ resonance: Float) throws -> Double {
      let values: [(String, Float)] = [("cutoff", Float(sound)), ("resonance", resonance)]
      return Measure.levelDecibels(of: sound, in: try render([note(84)], 96_000, values)[48_000...])
    }
    #expect(abs(try level(100) - level(0) - 29.03) < 0.3)
  }

  @Test func `envelopes have the set times`() throws {
    let values: [(String, Float)] = [
      ("attack", 100), ("decay", 200), ("sustain", 50), ("release", 300),
    ]
    let output = try render([note(81), Message(at: 72_000, [0x80, 81, 0])], 120_000, values)
    func peak(_ frame: Int) -> Float { output[frame ..< frame + 60].map { abs($0) }.max() ?? 0 }
    let full: Float = 0.5
    #expect(abs(peak(2_370) / full - 0.5) < 0.02)  // the middle of the rise
    #expect(abs(peak(4_800 + 9_570) / full - (0.5 + 0.5 * exp(-1))) < 0.02)
    #expect(abs(peak(71_000) / full - 0.5) < 0.01)
    #expect(abs(peak(72_000 + 14_370) / full - 0.5 * exp(-1)) < 0.02)
  }

  @Test func `the filter's envelope opens it by octaves`() throws {
    // Steady envelope: the corner is two octaves up while the key is down.
    let sound = 440 * pow(2, (84 - 69) / 12.0)
    let values: [(String, Float)] = [
      ("cutoff", Float(sound / 4)), ("filter_envelope", 2), ("filter_attack", 1),
      ("filter_sustain", 100),
    ]
    let opened = try render([note(84)], 48_000, values)[24_000...]
    let open = try render([note(84)])[24_000...]
    let difference =
      Measure.levelDecibels(of: sound, in: opened) - Measure.levelDecibels(of: sound, in: open)
    #expect(abs(difference + 3.01) < 0.1, "\(difference)")
  }

  @Test func `velocity reduces the level of notes, and the wheel adds vibrato`() throws {
    func peak(_ velocity: UInt8) throws -> Double {
      let output = try render([note(69, at: 0, velocity)], 24_000, [("velocity", 100)])
      return Measure.peakDecibels(output[12_000...])
    }
    #expect(abs(try peak(64) - peak(127) - 40 * log10(64 / 127.0)) < 0.05)
    let sway = try render(
      [note(93), Message(at: 0, [0xb0, 1, 127])], 96_000, [("wheel_pitch", 50), ("lfo_rate", 2)])
    let pitches = stride(from: 4_800, to: 90_000, by: 1_200).map {
      pitchHz(sway[$0 ..< $0 + 1_200])
    }
    #expect(abs(cents(pitches.max() ?? 0, 1_760) - 50) < 3)
    #expect(abs(cents(pitches.min() ?? 0, 1_760) + 50) < 3)
  }

  @Test func `the pedal holds released notes until it goes up`() throws {
    let output = try render([
      Message(at: 0, [0xb0, 64, 127]), note(60), Message(at: 100, [0x90, 60, 0]),
      Message(at: 24_000, [0xb0, 64, 0]),
    ])
    #expect(Measure.peakDecibels(output[20_000 ..< 24_000]) > -7)
    #expect(output[44_000...].allSatisfy { $0 == 0 })
  }

  @Test func `seventeen notes share sixteen voices without a click`() throws {
    // Slow sines: no frame may move further than twice the movement of all of them together.
    let notes = (0 ..< 24).map { note(UInt8(36 + $0), at: 2_000 * $0) }
    let output = try render(notes, 60_000, [("voices", 16)])
    let most =
      0.5 * 2 * Double.pi / 48_000
      * (0 ..< 24).reduce(0.0) { sum, index in
        sum + 440 * pow(2, (Double(36 + index) - 69) / 12)
      }
    let steps = zip(output, output.dropFirst()).map { Double(abs($1 - $0)) }
    #expect((steps.max() ?? 1) < most + 0.02, "\(writeWAV([output], named: "synthesiser-steal"))")
    let mono = try render([note(60), note(72, at: 12_000)], 48_000, [("voices", 1)])
    #expect(abs(cents(pitchHz(mono[24_000...]), 523.251)) < 1)
    #expect(abs(Measure.peakDecibels(mono[24_000...]) + 6.02) < 0.1)
  }

  @Test func `a glide connects one note to the next`() throws {
    let output = try render(
      [note(57), Message(at: 24_000, [0x80, 57, 0]), note(69, at: 24_000)], 72_000,
      [("glide", 100), ("voices", 1)])
    // After one time constant 37 % of the octave remain.
    let early = cents(pitchHz(output[28_000 ..< 29_600]), 440)
    #expect(abs(early + 1_200 * exp(-1)) < 60, "\(early)")
    #expect(abs(cents(pitchHz(output[60_000...]), 440)) < 1)
  }

  @Test func `voices are spread between the sides, and without a note there is silence`() throws {
    let both = try ModuleInstance(library, plain + [("spread", 100)])
      .render(frameCount: 24_000, messages: [note(60)])
    #expect(Measure.rmsDecibels(both[0]) > Measure.rmsDecibels(both[1]) + 0.5)
    #expect(try render([], 4_800).allSatisfy { $0 == 0 })
    let ended = try render([note(60), Message(at: 9_600, [0x80, 60, 0])])
    #expect(ended[24_000...].allSatisfy { $0 == 0 })
    let stopped = try render([note(60), Message(at: 9_600, [0xb0, 120, 0])])
    #expect(stopped[24_000...].allSatisfy { $0 == 0 })
  }
}
