// SamplerTests.swift: pitch, aliases, envelopes and voices of a sample player. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct SamplerTests {
  let library: ModuleLibrary
  /// Every key has the level of the recording, in the middle.
  static let plain: [(String, Float)] = [
    ("velocity", 0), ("spread", 0), ("level", 0),
  ]

  init() throws { library = try ModuleLibrary("sampler") }

  typealias Message = ModuleInstance.Message

  func note(_ key: UInt8, at frame: Int = 0, _ velocity: UInt8 = 100) -> Message {
    Message(at: frame, [0x90, key, velocity])
  }

  func sampler(
    _ sound: [[Float]], _ values: [(String, Float)] = [], rate: Double = 48_000
  ) throws -> ModuleInstance {
    let instance = try ModuleInstance(library, Self.plain + values, sampleRateHz: rate)
    #expect(instance.load(sound))
    return instance
  }

  func render(
    _ sound: [Float], _ values: [(String, Float)] = [], _ messages: [Message],
    _ frameCount: Int = 48_000, changes: [ModuleInstance.Change] = []
  ) throws -> [Float] {
    try sampler([sound], values).render(
      frameCount: frameCount, blocks: [256], changes: changes, messages: messages)[0]
  }

  // MARK: - Reading

  @Test func `at its root key a sample plays bit for bit, from its frame on`() throws {
    let sound = [Signals.noise(20_000, seed: 1), Signals.noise(20_000, seed: 2)]
    let output = try sampler(sound).render(
      frameCount: 30_000, blocks: [7, 64, 300], messages: [note(60, at: 1_000)])
    for side in 0 ..< 2 {
      #expect(output[side][..<1_000].allSatisfy { $0 == 0 })
      #expect(Array(output[side][1_000 ..< 21_000]) == sound[side])
      #expect(output[side][21_000...].allSatisfy { $0 == 0 })
    }
    let mono = try sampler([sound[0]]).render(frameCount: 20_000, messages: [note(60)])
    #expect(mono[0] == sound[0] && mono[1] == sound[0])
  }

  @Test(arguments: [-24, -5, 1, 7, 11, 19, 31])
  func `transposed tones keep their level, without spurs below 20 kHz`(semitones: Int) throws {
    let ratio = pow(2, Double(semitones) / 12)
    for hertz in [1_000.0, 5_000, 10_000, 15_000, 20_000] {
      let sound = Signals.sine(hertz, Int(72_000 * max(ratio, 1)) + 4_000, peak: 0.5)
      let output = try render(sound, [], [note(UInt8(60 + semitones))], 70_000)
        .suffix(65_536)
      let wanted = hertz * ratio
      if wanted < 12_000 {
        let level = Measure.levelDecibels(of: wanted, in: output)
        #expect(abs(level + 6.02) < 0.1, "\(hertz) Hz: \(level) dB")
      }
      let spectrum = Spectrum(output)
      let edges = [0, wanted - 10, wanted + 10, 20_000]
      for (low, high) in [(edges[0], min(edges[1], 20_000)), (edges[2], edges[3])] where low < high
      {
        let spur = spectrum.peakDecibels(fromHz: low, toHz: high) + 6.02
        #expect(spur < -78, "\(hertz) Hz: \(spur) dB")
      }
    }
  }

  @Test func `keys, tune, bend and root change the pitch by the set amount`() throws {
    let sound = Signals.sine(440, 200_000, peak: 0.5)
    for (values, messages, cents) in [
      ([], [note(67)], 700), ([], [note(36)], -2_400), ([("root", 69)], [note(69)], 0),
      ([("tune", -35)], [note(60)], -35), ([("key_follow", 0)], [note(72)], 0),
      ([("key_follow", 50)], [note(72)], 600),
      ([], [note(60), Message(at: 0, [0xe0, 127, 127])], 199.98),
      ([("bend_range", 12)], [note(60), Message(at: 0, [0xe0, 0, 0])], -1_200),
    ] as [([(String, Float)], [Message], Double)] {
      let output = try render(sound, values, messages, 70_000).suffix(65_536)
      let wanted = 440 * pow(2, cents / 1_200)
      #expect(abs(Measure.levelDecibels(of: wanted, in: output) + 6.02) < 0.05, "\(cents) cents")
    }
  }

  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `without a file a bar is struck, in tune at every rate`(rate: Double) throws {
    let instance = try ModuleInstance(library, [("level", 0)], sampleRateHz: rate)
    let output = try instance.render(frameCount: Int(rate), messages: [note(72)])[0]
    let spectrum = Spectrum(output, sampleRateHz: rate)
    let strongest = spectrum.amplitudes.indices.max {
      spectrum.amplitudes[$0] < spectrum.amplitudes[$1]
    }
    #expect(abs(Double(strongest ?? 0) * spectrum.binWidthHz - 523.25) < 1.5)
    #expect(Measure.peakDecibels(output) > -12)
    // An octave higher it ends in half the time.
    #expect(
      Measure.rmsDecibels(output.suffix(4_000)) < Measure.rmsDecibels(output.prefix(4_000)) - 40)
  }

  @Test func `an invalid file is refused, and the default sample remains`() throws {
    let instance = try ModuleInstance(library)
    #expect(!instance.load([]))
    #expect(!instance.load([[]]))
    #expect(!instance.load([[1], [1], [1]]))
    #expect(!instance.load([[1, .nan]]))
    let output = try instance.render(frameCount: 9_600, messages: [note(60)])
    #expect(output == (try ModuleInstance(library).render(frameCount: 9_600, messages: [note(60)])))
    #expect(Measure.peakDecibels(output[0]) > -28)
  }

  // MARK: - Loops

  @Test func `a loop repeats, to the bit, even after the key is released`() throws {
    let sound = Signals.noise(20_000, peak: 0.5, seed: 3)
    let values: [(String, Float)] = [
      ("loop", 1), ("loop_start", 0.1), ("loop_end", 0.25), ("crossfade", 0), ("release", 10_000),
    ]
    let output = try render(sound, values, [note(60), Message(at: 30_000, [0x80, 60, 0])], 48_000)
    func expected(_ frame: Int) -> Float {
      sound[frame < 12_000 ? frame : 4_800 + (frame - 4_800) % 7_200]
    }
    #expect((0 ..< 30_000).allSatisfy { output[$0] == expected($0) })
    // Softer only because of the release.
    let falling = (30_100 ..< 48_000).allSatisfy { frame in
      abs(output[frame] - expected(frame) * Float(exp(-Double(frame - 29_999) / 480_000))) < 1e-5
    }
    #expect(falling)
  }

  @Test(arguments: [-7, 5, 11])
  func `a loop of whole periods has no seam, at any pitch`(semitones: Int) throws {
    // 441 periods of 1 kHz, the whole file.
    let sound = Signals.sine(1_000, 21_168, peak: 0.5)
    let output = try render(
      sound, [("loop", 1)], [note(UInt8(60 + semitones))], 140_000
    ).suffix(131_072)
    let wanted = 1_000 * pow(2, Double(semitones) / 12)
    let spur = Spectrum(output).peakDecibels(awayFrom: [wanted], marginHz: 8)
    #expect(spur + 6.02 < -76, "\(spur)")
  }

  @Test func `a crossfade removes the click of a loop that does not fit`() throws {
    let sound = Signals.sine(220, 48_000, peak: 0.5)
    func highs(_ milliseconds: Float) throws -> Double {
      let values: [(String, Float)] = [
        ("loop", 1), ("loop_start", 0.3), ("loop_end", 0.505), ("crossfade", milliseconds),
      ]
      let output = try render(sound, values, [note(62)], 96_000)
      return Measure.peakDecibels(Measure.band(output, fromHz: 8_000, toHz: 20_000)[9_600...])
    }
    #expect(try highs(0) > -40)
    #expect(try highs(30) < -75)
  }

  @Test func `the player repeats the file, or plays it once`() throws {
    let sound = [Signals.noise(10_000, seed: 4), Signals.noise(10_000, seed: 5)]
    let looped = try sampler(sound, [("play", 1)]).render(frameCount: 35_000)
    #expect(looped[0] == (0 ..< 35_000).map { sound[0][$0 % 10_000] })
    #expect(looped[1] == (0 ..< 35_000).map { sound[1][$0 % 10_000] })
    let once = try sampler(sound, [("play", 2)]).render(frameCount: 35_000)
    #expect(once[0] == sound[0] + Signals.silence(25_000))
    let later = try sampler(sound, [("start", 0.05)]).render(
      frameCount: 20_000, changes: [.init(at: 1_000, "play", 2)])
    #expect(later[0] == Signals.silence(1_000) + sound[0][2_400...] + Signals.silence(11_400))
  }

  // MARK: - Playing

  @Test func `envelopes have the set times`() throws {
    let values: [(String, Float)] = [
      ("attack", 100), ("decay", 200), ("sustain", 50), ("release", 300),
    ]
    let steady = [Float](repeating: 1, count: 200_000)
    let output = try render(
      steady, values, [note(60), Message(at: 72_000, [0x80, 60, 0])], 120_000)
    #expect(abs(output[2_400] - 0.5) < 0.001)
    #expect(abs(output[4_800 + 9_600] - Float(0.5 + 0.5 * exp(-1.0))) < 0.001)
    #expect(abs(output[71_999] - 0.5) < 0.001)
    #expect(abs(output[72_000 + 14_400] - Float(0.5 * exp(-1.0))) < 0.001)
  }

  @Test func `velocity reduces the level of notes by the set amount`() throws {
    let steady = [Float](repeating: 0.5, count: 9_600)
    func level(_ share: Float, _ velocity: UInt8) throws -> Double {
      Measure.peakDecibels(
        try render(steady, [("velocity", share)], [note(60, at: 0, velocity)], 4_800))
    }
    #expect(abs(try level(100, 127) + 6.02) < 0.01)
    #expect(abs(try level(100, 64) + 6.02 - 40 * log10(64 / 127.0)) < 0.01)
    #expect(abs(try level(0, 1) + 6.02) < 0.01)
  }

  @Test func `a one-shot plays to its end, unless all sound off arrives`() throws {
    let sound = Signals.noise(20_000, peak: 0.5, seed: 6)
    let off = Message(at: 500, [0x80, 60, 0])
    let values: [(String, Float)] = [("mode", 1), ("loop", 1)]
    #expect(try render(sound, values, [note(60), off], 20_000) == sound)
    let held = try render(sound, [("release", 1)], [note(60), off], 20_000)
    #expect(held[2_000...].allSatisfy { $0 == 0 })
    let stopped = try render(
      sound, values + [("release", 1)], [note(60), Message(at: 500, [0xb0, 120, 0])], 20_000)
    #expect(stopped[2_000...].allSatisfy { $0 == 0 })
  }

  @Test func `the pedal holds released notes until it goes up`() throws {
    let output = try render(
      [Float](repeating: 0.5, count: 60_000), [("release", 2)],
      [
        Message(at: 0, [0xb0, 64, 127]), note(60), Message(at: 100, [0x90, 60, 0]),
        Message(at: 24_000, [0xb0, 64, 0]),
      ])
    #expect(output[200 ..< 24_000].allSatisfy { $0 == 0.5 })
    #expect(output[27_000...].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [1, 4, 32])
  func `stolen voices do not click`(voices: Int) throws {
    let sound = Signals.sine(200, 200_000, peak: 0.3)
    let notes = (0 ..< 48).map { note(UInt8(40 + $0 * 7 % 25), at: 1_900 * $0) }
    let output = try render(
      sound, [("voices", Float(voices)), ("attack", 10), ("start", 0.00126)], notes, 100_000)
    let high = Measure.band(output, fromHz: 6_000, toHz: 20_000)
    #expect(
      Measure.peakDecibels(high) < -65, "\(writeWAV([output], named: "sampler-steal"))")
  }

  @Test(arguments: [
    ("level", Float(-20)), ("pan", 100), ("loop_end", 0.3), ("loop_start", 0.8), ("loop", 0),
    ("tune", 100), ("play", 0), ("crossfade", 0), ("loop_end", 0.85), ("start", 0.5),
  ])
  func `a change does not click`(symbol: String, value: Float) throws {
    let values: [(String, Float)] = [
      ("loop", 1), ("loop_start", 0.2), ("loop_end", 0.9), ("crossfade", 50),
      ("play", symbol == "play" ? 1 : 0),
    ]
    // In the middle of the loop, and of a period.
    let output = try render(
      Signals.sine(213.7, 96_000, peak: 0.1), values, symbol == "play" ? [] : [note(60)], 60_000,
      changes: [.init(at: 40_000, symbol, value)])
    let high = Measure.band(output, fromHz: 8_000, toHz: 20_000)[4_000 ..< 43_000]
    #expect(Measure.peakDecibels(high) < -72, "\(writeWAV([output], named: "sampler-\(symbol)"))")
  }

  @Test func `keys spread from left to right, and pan applies to all`() throws {
    let steady = [[Float](repeating: 0.5, count: 60_000)]
    func sides(_ values: [(String, Float)], _ key: UInt8) throws -> [Float] {
      try sampler(steady, values).render(frameCount: 600, messages: [note(key)]).map { $0[500] }
    }
    #expect(try sides([("spread", 100)], 60) == [0.5, 0.5])
    let right = try sides([("spread", 100)], 78)
    #expect(abs(right[0] - 0.25) < 1e-4 && abs(right[1] - 0.5) < 1e-4)
    let left = try sides([("pan", -100)], 60)
    #expect(left[0] == 0.5 && left[1] == 0)
  }

  @Test func `readouts report the position and the number of voices`() throws {
    let instance = try sampler([Signals.noise(48_000, peak: 0.1)])
    _ = try instance.render(frameCount: 6_400, messages: [note(60), note(72)])
    // Two octaves apart: the readout is that of the newest voice, which has twice the speed.
    #expect(abs(instance.readouts(3)[0] - 12_800 / 48_000) < 1e-4)
    #expect(instance.readouts(3)[1...] == [1, 2])
    try instance.set("play", 1)
    _ = try instance.render(frameCount: 960)
    #expect(abs(instance.readouts(3)[0] - 0.02) < 1e-6)
    #expect(instance.readouts(3)[2] == 3)
    #expect(instance.violations == [])
  }
}
