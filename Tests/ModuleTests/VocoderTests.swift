// VocoderTests.swift: separation of bands, smooth envelopes, and carriers. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct VocoderTests {
  private let library: ModuleLibrary
  /// The side chain is the carrier, and only the bands are audible.
  private static let beside: [(String, Float)] = [("carrier", 2), ("hiss", 0), ("tilt", 0)]
  private static let saws: [(String, Float)] = [("chord", 0), ("detune", 0), ("hiss", 0)]

  init() throws { library = try ModuleLibrary("vocoder") }

  private typealias Message = ModuleInstance.Message

  private func render(
    _ voice: [Float], _ carrier: [Float]? = nil, _ values: [(String, Float)],
    changes: [ModuleInstance.Change] = [], messages: [Message] = [], rate: Double = 48_000
  ) throws -> [Float] {
    let carrier = carrier ?? Signals.silence(voice.count)
    return try ModuleInstance(library, values, sampleRateHz: rate).render(
      [voice, voice, carrier, carrier], blocks: [256], changes: changes, messages: messages)[0]
  }

  /// A position within a band, 0.5 for its centre, at the default edges.
  private func placeHz(_ band: Double, of count: Int) -> Double {
    90 * pow(11_000 / 90, band / Double(count))
  }

  @Test(arguments: [8, 20, 40])
  func `a tone in one band does not open another`(count: Int) throws {
    let middle = count / 2
    let voice = Signals.sine(placeHz(Double(middle) + 0.5, of: count), 48_000, peak: 0.1)
    let levels = try (0 ... 3).map { distance in
      let hertz = placeHz(Double(middle + distance) + 0.5, of: count)
      let output = try render(
        voice, Signals.sine(hertz, 48_000, peak: 0.1), Self.beside + [("bands", Float(count))])
      return Measure.rmsDecibels(output[24_000...])
    }
    #expect(levels[1] - levels[0] < -18.5, "\(levels)")
    #expect(levels[2] - levels[0] < -39, "\(levels)")
    #expect(levels[3] - levels[0] < -53.5, "\(levels)")
  }

  @Test func `each band passes its frequencies, and there is no dip between two bands`() throws {
    let levels = try stride(from: 8.5, through: 9.5, by: 0.125).map { place in
      let hertz = placeHz(place, of: 20)
      let output = try render(
        Signals.sine(hertz, 48_000, peak: 0.1), Signals.sine(hertz + 3, 48_000, peak: 0.1),
        Self.beside)
      return Measure.rmsDecibels(output[24_000...])
    }
    let range = (levels.max() ?? 0) - (levels.min() ?? 0)
    #expect(range < 2.5, "\(levels)")
  }

  @Test(arguments: [(Double, Int)]([(44_100, 20), (96_000, 20), (192_000, 40), (8_000, 8)]))
  func `bands have the same frequencies and levels as at 48 kHz at every rate`(
    rate: Double, count: Int
  ) throws {
    func level(_ rate: Double) throws -> Double {
      let hertz = placeHz(Double(count / 2) + 0.6, of: count)
      let length = Int(rate)
      let sound = Signals.sine(hertz, length, peak: 0.1, sampleRateHz: rate)
      let beside = Self.beside + [("bands", Float(count))]
      return Measure.rmsDecibels(try render(sound, sound, beside, rate: rate).suffix(length / 2))
    }
    let (here, there) = (try level(rate), try level(48_000))
    #expect(abs(here - there) < 0.5, "\(here) dB, \(there) dB")
  }

  @Test(arguments: [3.5, 3.1, 3.9])
  func `an envelope has no ripple at any speed`(place: Double) throws {
    let values: [(String, Float)] = Self.beside + [("attack", 0.5), ("release", 5)]
    let (hertz, carrier) = (placeHz(place, of: 20), placeHz(3.6, of: 20))
    let output = try render(
      Signals.sine(hertz, 120_000, peak: 0.1), Signals.sine(carrier, 120_000, peak: 0.1), values)
    // A rectifier would beat at twice the voice's frequency.
    let sound = output.suffix(65_536)
    let level = Measure.levelDecibels(of: carrier, in: sound)
    for ripple in [2 * hertz - carrier, 2 * hertz + carrier] {
      #expect(Measure.levelDecibels(of: ripple, in: sound) - level < -40)
    }
  }

  @Test func `attack and release have the set times`() throws {
    // The highest band, whose filter settles almost at once.
    let hertz = placeHz(19.5, of: 20)
    let voice = Signals.silence(4_800) + Signals.sine(hertz, 48_000, peak: 0.1)
    let output = try render(
      voice + Signals.silence(48_000), Signals.sine(hertz, 100_800, peak: 0.1),
      Self.beside + [("attack", 50), ("release", 200)])
    func level(_ frame: Int) -> Double { Measure.rmsDecibels(output[frame ..< frame + 240]) }
    let full = level(50_000)
    let risen = pow(10, (level(4_800 + 2_400) - full) / 20)
    #expect(abs(risen - (1 - exp(-1))) < 0.03, "\(risen)")
    #expect(abs(level(60_000) - level(69_600) - 8.686) < 0.1)
  }

  @Test func `with each built-in carrier a voice keeps its loudness approximately`() throws {
    // With the slope of speech: noise through the poles of 500 Hz, between 200 Hz and 5 kHz.
    var memory: Float = 0
    let raw = Signals.noise(192_000, peak: 0.8, seed: 3).map { sample -> Float in
      memory += 0.063_4 * (sample - memory)
      return memory
    }
    let voice = Measure.band(raw, fromHz: 200, toHz: 5_000)
    let expected = Measure.rmsDecibels(voice[24_000...])
    for (name, values) in [
      ("one", Self.saws), ("chord", [("chord", 3), ("hiss", 0)]), ("noise", [("carrier", 1)]),
      ("few", Self.saws + [("bands", 8)]), ("many", Self.saws + [("bands", 40)]),
    ] as [(String, [(String, Float)])] {
      let level = Measure.rmsDecibels(try render(voice, nil, values)[24_000...])
      #expect(abs(level - expected) < 4, "\(name): \(level) dB for \(expected) dB")
    }
  }

  @Test(arguments: [Float(-12), 7, 12])
  func `formants are shifted by the set amount`(semitones: Float) throws {
    let hertz = placeHz(9.5, of: 20)
    let output = try render(
      Signals.sine(hertz, 96_000, peak: 0.1), Signals.noise(96_000, peak: 0.5),
      Self.beside + [("shift", semitones)])
    let spectrum = Spectrum(output.suffix(65_536))
    let wanted = hertz * pow(2, Double(semitones) / 12)
    func power(_ hertz: Double) -> Double {
      spectrum.meanDecibels(fromHz: hertz * 0.93, toHz: hertz * 1.07)
    }
    #expect(power(wanted) - power(wanted * 1.6) > 35)
    #expect(power(wanted) - power(wanted / 1.6) > 35)
  }

  @Test func `an s is replaced by noise, a vowel does not change`() throws {
    let hissing = Measure.band(Signals.noise(96_000, seed: 5), fromHz: 5_000, toHz: 9_000)
    func valley(_ hiss: Float) throws -> Double {
      let output = try render(hissing, nil, [("chord", 0), ("detune", 0), ("hiss", hiss)])
      // The level between two harmonics of the saw, relative to one of them.
      let spectrum = Spectrum(output.suffix(65_536))
      return spectrum.meanDecibels(fromHz: 6_635, toHz: 6_675)
        - spectrum.peakDecibels(fromHz: 6_590, toHz: 6_610)
    }
    #expect(try valley(0) < -25)
    #expect(try valley(100) > -15)
    let vowel = Measure.band(
      (0 ..< 48_000).map { Float($0 % 300) / 300 - 0.5 }, fromHz: 150, toHz: 1_500)
    let values: [(String, Float)] = [("chord", 0)]
    let spoken = try [Float(0), 100].map { try render(vowel, nil, values + [("hiss", $0)]) }
    let difference = zip(spoken[0], spoken[1]).map { $0 - $1 }.suffix(24_000)
    #expect(Measure.peakDecibels(difference) < -110)
    #expect(Measure.rmsDecibels(spoken[0].suffix(24_000)) > -30)
  }

  @Test func `the chord plays until a key is pressed, then the keys`() throws {
    let voice = Signals.noise(240_000, peak: 0.2, seed: 9)
    let output = try render(
      voice, nil, Self.saws + [("pitch", 200), ("bands", 40)],
      messages: [
        Message(at: 96_000, [0x90, 69, 100]), Message(at: 96_000, [0x90, 76, 100]),
        Message(at: 168_000, [0x80, 69, 0]), Message(at: 168_000, [0x80, 76, 0]),
      ])
    func harmonic(_ hertz: Double, _ frames: Range<Int>) -> Double {
      Spectrum(output[frames]).peakDecibels(fromHz: hertz - 4, toHz: hertz + 4)
    }
    let (drone, keys) = (24_000 ..< 92_000, 100_000 ..< 166_000)
    #expect(harmonic(600, drone) - harmonic(440, drone) > 30)
    #expect(harmonic(440, keys) - harmonic(600, keys) > 30)
    #expect(harmonic(659.26, keys) - harmonic(600, keys) > 30)
    #expect(Measure.peakDecibels(output.suffix(12_000)) < -120)
  }

  @Test func `the bend moves the keys by two semitones, detune the sides apart`() throws {
    let voice = Signals.noise(96_000, peak: 0.2, seed: 9)
    let wide = try ModuleInstance(library, [("chord", 0), ("pitch", 200), ("detune", 50)])
      .render([voice, voice, [Float](repeating: 0, count: 96_000)], blocks: [256])
    func strongest(_ signal: [Float], near hertz: Double) -> Double {
      let spectrum = Spectrum(signal.suffix(65_536))
      let bins = Int(hertz * 0.85 / spectrum.binWidthHz) ... Int(hertz * 1.15 / spectrum.binWidthHz)
      let best = bins.max { spectrum.amplitudes[$0] < spectrum.amplitudes[$1] }
      return Double(best ?? 0) * spectrum.binWidthHz
    }
    // The fifth harmonic, 25 cents down and up.
    #expect(abs(strongest(wide[0], near: 1_000) - 985.7) < 1.5)
    #expect(abs(strongest(wide[1], near: 1_000) - 1_014.5) < 1.5)
    let bent = try render(
      voice, nil, Self.saws,
      messages: [Message(at: 0, [0x90, 69, 90]), Message(at: 0, [0xe0, 127, 127])])
    #expect(abs(strongest(bent, near: 493.9) - 493.9) < 1.5)
  }

  @Test func `the highs of the voice bypass the bands`() throws {
    let values = Self.beside + [("highs", 100)]
    let high = try render(Signals.sine(9_000, 48_000, peak: 0.5), nil, values)
    #expect(abs(Measure.peakDecibels(high[24_000...]) + 6.02) < 0.3)
    let low = try render(Signals.sine(500, 48_000, peak: 0.5), nil, values)
    #expect(Measure.peakDecibels(low[24_000...]) < -40)
  }

  @Test(arguments: [
    ("bands", Float(9)), ("shift", 7), ("low", 200), ("high", 5_000), ("tilt", -2), ("mix", 0),
    ("level", -20), ("attack", 80), ("carrier", 0), ("highs", 100),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let tone = Signals.sine(440, 96_000, peak: 0.1)
    let output = try render(
      tone, tone, Self.beside + [("pitch", 40), ("chord", 0)],
      changes: [.init(at: 48_000, symbol, value)])
    let high = Measure.band(output, fromHz: 10_000, toHz: 20_000)[24_000...]
    #expect(Measure.peakDecibels(high) < -70, "\(writeWAV([output], named: "vocoder-\(symbol)"))")
  }

  @Test func `a change of the number of bands is a fade without clicks and without a gap`() throws {
    let tone = (0 ..< 144_000).map { frame in
      (1 ..< 20).reduce(Float(0)) { sum, harmonic in
        let turns = 150 * Double(harmonic * frame) / 48_000
        return sum + Float(0.1 / Double(harmonic) * sin(2 * .pi * turns))
      }
    }
    let values: [(String, Float)] = [("hiss", 0), ("detune", 0)]
    let counts: [Float] = [8, 40, 24, 20, 9, 33, 21, 20]
    let changes = counts.enumerated().map { index, count in
      ModuleInstance.Change(at: 48_000 + 9_600 * index, "bands", count)
    }
    let output = try render(tone, nil, values, changes: changes)
    // The bands end at 11 kHz: higher frequencies come from clicks.
    let high = Measure.band(output, fromHz: 14_000, toHz: 20_000)[24_000...]
    #expect(Measure.peakDecibels(high) < -80, "\(Measure.peakDecibels(high)) dB")
    let steady = Measure.rmsDecibels(output[24_000 ..< 48_000])
    for start in stride(from: 48_000, to: 130_000, by: 960) {
      let level = Measure.rmsDecibels(output[start ..< start + 960])
      #expect(abs(level - steady) < 6, "\(level), not \(steady) dB at frame \(start)")
    }
  }

  @Test func `sweeps of edges and shift do not make the filters unstable`() throws {
    var generator = SplitMix64(seed: 9)
    let changes = stride(from: 0, to: 48_000, by: 1_500).flatMap { frame in
      [("low", Float(50) ... 500), ("high", 2_000 ... 18_000), ("shift", -12 ... 12)].map {
        ModuleInstance.Change(at: frame, $0.0, .random(in: $0.1, using: &generator))
      }
    }
    let noise = Signals.noise(48_000, peak: 0.5)
    let output = try render(noise, nil, [("bands", 40)], changes: changes)
    #expect(Measure.peakDecibels(output) < 12, "\(Measure.peakDecibels(output)) dB")
  }

  @Test func `a mix of 0 passes every bit`() throws {
    let noise = Signals.noise(9_000)
    #expect(try render(noise, nil, [("mix", 0)]) == noise)
  }

  @Test func `silence follows after the voice, also after samples that are not finite`() throws {
    var voice = Signals.noise(48_000, peak: 0.5)
    voice[4_000] = .nan
    voice[9_000] = .infinity
    voice += Signals.silence(150_000)
    for carrier in [Float(0), 1, 2] {
      let output = try render(
        voice, Signals.noise(198_000, seed: 2), [("carrier", carrier), ("highs", 50)])
      #expect(output.enumerated().allSatisfy { $1.isFinite || $0 == 4_000 || $0 == 9_000 })
      #expect(Measure.rmsDecibels(output[24_000 ..< 48_000]) > -40)
      #expect(output.suffix(48_000).allSatisfy { $0 == 0 })
    }
  }
}
