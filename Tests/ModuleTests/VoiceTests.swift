// VoiceTests.swift: improvement of a voice by each stage. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct VoiceTests {
  private let library: ModuleLibrary
  /// Everything off except the high-pass, at its lowest frequency.
  private static let plain: [(String, Float)] = [
    ("high_pass", 20), ("echo", 0), ("reduction", 0), ("levelling", 0),
  ]
  private static let latency = 1_024

  init() throws { library = try ModuleLibrary("voice-processor") }

  private func render(
    _ voice: [Float], _ reference: [Float]? = nil, _ values: [(String, Float)]
  ) throws -> [Float] {
    let silence = Signals.silence(voice.count)
    return try ModuleInstance(library, Self.plain + values).render(
      [voice, reference ?? silence], blocks: [512])[0]
  }

  /// Syllables: gliding harmonics under a moving formant, hisses between them, pauses after each word.
  private func speech(_ frameCount: Int, seed: Double = 1, level: Double = -24) -> [Float] {
    var phase = 0.0
    let breath = Signals.noise(frameCount, peak: 0.5, seed: UInt64(seed * 100))
    let raw = (0 ..< frameCount).map { frame -> Double in
      let time = Double(frame) / 48_000 + 7.3 * seed
      let pitch = 130 * seed.squareRoot() * (1 + 0.15 * sin(2 * .pi * 0.7 * time))
      phase += pitch / 48_000
      let rhythm = sin(2 * .pi * 3.1 * time)
      let syllable = max(0, rhythm)
      let hiss = rhythm < 0 ? rhythm * rhythm + 0.1 : 0.1
      let word = sin(2 * .pi * 0.45 * time) > -0.3 ? 1.0 : 0
      let formant = 600 + 300 * sin(2 * .pi * 1.3 * time)
      var sum = 0.0
      for harmonic in 1 ... 24 {
        let frequency = Double(harmonic) * pitch
        let first = 1 / (1 + pow((frequency - formant) / 150, 2))
        let second = 0.3 / (1 + pow((frequency - 2.6 * formant) / 250, 2))
        sum += (first + second) * sin(2 * .pi * Double(harmonic) * phase)
      }
      return (sum * syllable + hiss * Double(breath[frame])) * word
    }
    let power = raw.reduce(0) { $0 + $1 * $1 } / Double(frameCount)
    let scale = pow(10, level / 20) / power.squareRoot()
    return raw.map { Float($0 * scale) }
  }

  /// Returns the level of a signal without its best scaled copy of a clean one, in dB.
  private func ratio(_ signal: ArraySlice<Float>, _ clean: ArraySlice<Float>) -> Double {
    let (both, own) = zip(signal, clean).reduce((0.0, 0.0)) {
      ($0.0 + Double($1.0) * Double($1.1), $0.1 + Double($1.1) * Double($1.1))
    }
    let scale = both / own
    let rest = zip(signal, clean).reduce(0.0) { $0 + pow(Double($1.0) - scale * Double($1.1), 2) }
    return 10 * log10(scale * scale * own / rest)
  }

  // MARK: - Noise

  @Test(arguments: [0.0, 10, 20])
  func `the signal-to-noise ratio of a voice in white noise improves`(before: Double) throws {
    let clean = speech(48_000 * 6)
    let level = pow(10, (-24 - before) / 20) * 3.0.squareRoot()
    let noise = Signals.noise(clean.count, peak: Float(level), seed: 4)
    let output = try render(zip(clean, noise).map { $0 + $1 }, nil, [("reduction", 20)])
    // Compared with the voice after the same high-pass, which shifts its phases.
    let after = ratio(output[96_000...], try render(clean, nil, [])[96_000...])
    let gain = after - before
    #expect(gain > (before == 0 ? 9.5 : before == 10 ? 4.5 : 2), "\(gain) dB")
  }

  @Test(arguments: [Float(10), 20]) func `steady noise is reduced by the set amount`(
    reduction: Float
  ) throws {
    let noise = Signals.noise(48_000 * 3, peak: 0.05)
    let output = try render(noise, nil, [("reduction", reduction)])
    let change = Measure.rmsDecibels(output[96_000...]) - Measure.rmsDecibels(noise)
    #expect(change < 0.8 * Double(-reduction) && change > Double(-reduction) - 0.1, "\(change) dB")
  }

  @Test func `the filter adapts to 20 dB louder noise within three seconds`() throws {
    let noise = Signals.noise(48_000 * 6, peak: 0.05).enumerated().map { frame, sample in
      frame < 96_000 ? sample * 0.1 : sample
    }
    let output = try render(noise, nil, [("reduction", 20)])
    let change =
      Measure.rmsDecibels(output[(5 * 48_000)...]) - Measure.rmsDecibels(noise[96_000...])
    #expect(change < -14.5, "\(change) dB")
  }

  @Test func `a clean voice is unchanged`() throws {
    let clean = speech(48_000 * 4)
    let output = try render(clean, nil, [("reduction", 15)])
    let after = ratio(output[48_000...], try render(clean, nil, [])[48_000...])
    #expect(after > 18, "\(after) dB")
  }

  // MARK: - Echo

  /// The path between loudspeaker and microphone in a room: 5 ms of delay, 60 dB of decay in a quarter of a second.
  private func echo(of reference: [Float], gain: Float) -> [Float] {
    var taps: [(Int, Float)] = []
    for (index, value) in Signals.noise(220, peak: 1, seed: 9).enumerated() {
      let frame = 240 + index * 37
      taps.append((frame, gain * value * Float(pow(10, -3 * Double(frame) / 12_000))))
    }
    var result = [Float](repeating: 0, count: reference.count)
    for (delay, tap) in taps {
      for frame in delay ..< reference.count { result[frame] += tap * reference[frame - delay] }
    }
    return result
  }

  private func gainOf(_ output: ArraySlice<Float>, _ input: ArraySlice<Float>) -> Double {
    Measure.rmsDecibels(input) - Measure.rmsDecibels(output)
  }

  @Test func `the echo of a voice is removed`() throws {
    let far = speech(48_000 * 8, seed: 1.4, level: -20)
    let microphone = echo(of: far, gain: 0.5)
    let linear = try render(microphone, far, [("echo", 1)])
    let late = 5 * 48_000
    let loss = gainOf(linear[(late + Self.latency)...], microphone[late...])
    #expect(loss > 15, "\(loss) dB")
    let whole = try render(microphone, far, [("echo", 1), ("reduction", 20)])
    let more = gainOf(whole[(late + Self.latency)...], microphone[late...])
    #expect(more > loss + 8, "\(more) dB")
  }

  @Test func `the echo of noise is removed within a second`() throws {
    let far = Signals.noise(48_000 * 3, peak: 0.3)
    let microphone = echo(of: far, gain: 0.5)
    let output = try render(microphone, far, [("echo", 1)])
    let loss = gainOf(output[(48_000 + Self.latency) ..< 96_000], microphone[48_000 ..< 96_000])
    #expect(loss > 20, "\(loss) dB")
  }

  @Test func `a near speaker during echo passes, and the echo path stays adapted`() throws {
    let far = speech(48_000 * 10, seed: 1.4, level: -20)
    let near = speech(48_000 * 10, seed: 0.8, level: -26).enumerated().map { frame, sample in
      (5 * 48_000 ..< 8 * 48_000).contains(frame) ? sample : 0
    }
    let room = echo(of: far, gain: 0.5)
    let output = try render(zip(near, room).map { $0 + $1 }, far, [("echo", 1)])
    let both = 5 * 48_000 ..< 8 * 48_000
    let before = ratio(zip(near, room).map { $0 + $1 }[both], near[both])
    let after = ratio(
      output.dropFirst(Self.latency).prefix(8 * 48_000)[
        (both.lowerBound + Self.latency)...], near[both])
    #expect(after > before + 10, "\(before) to \(after) dB")
    let late = 8 * 48_000
    let loss = gainOf(output[(late + Self.latency)...], room[late...])
    #expect(loss > 20, "\(loss) dB")
  }

  @Test func `the filter adapts again to a moved loudspeaker`() throws {
    let far = Signals.noise(48_000 * 10, peak: 0.3)
    let (near, moved) = (echo(of: far, gain: 0.5), echo(of: Signals.silence(700) + far, gain: 0.7))
    let microphone = far.indices.map { $0 < 3 * 48_000 ? near[$0] : moved[$0] }
    let output = try render(microphone, far, [("echo", 1)])
    let late = 8 * 48_000
    let loss = gainOf(output[(late + Self.latency)...], microphone[late...])
    #expect(loss > 15, "\(loss) dB")
  }

  @Test func `without a loudspeaker signal echo cancellation changes nothing`() throws {
    let voice = speech(48_000)
    #expect(try render(voice, nil, [("echo", 1)]) == (try render(voice, nil, [])))
  }

  // MARK: - Level

  @Test func `near and far speakers get the same level`() throws {
    let levels = try [-32.0, -14].map { level in
      let voice = speech(48_000 * 8, level: level)
      let output = try render(voice, nil, [("levelling", 15), ("target", -20)])
      #expect(Measure.peakDecibels(output) <= 0)
      return Measure.rmsDecibels(output[(4 * 48_000)...])
    }
    #expect(abs(levels[0] - levels[1]) < 1, "\(levels) dB")
    // The target is the level of speech; with the pauses the level is lower.
    #expect(levels.allSatisfy { $0 > -27 && $0 < -20 }, "\(levels) dB")
  }

  @Test func `levelling stays within its limit`() throws {
    let voice = speech(48_000 * 8, level: -40)
    let plain = try render(voice, nil, [])
    let most = try render(voice, nil, [("levelling", 6)])
    let late = 5 * 48_000
    let gain = Measure.rmsDecibels(most[late...]) - Measure.rmsDecibels(plain[late...])
    #expect(abs(gain - 6) < 0.1, "\(gain) dB")
  }

  // MARK: - The chain

  @Test func `with everything off the output is only delayed and high-passed`() throws {
    let voice = speech(48_000)
    let instance = try ModuleInstance(library, Self.plain)
    #expect(instance.latencyFrames == Self.latency)
    let output = try render(voice, nil, [])
    let error = zip(voice, output.dropFirst(Self.latency)).dropFirst(4_800).map { $0 - $1 }
    // 20 Hz shift the phase of a voice at 100 Hz by 16 degrees.
    #expect(Measure.rmsDecibels(error) - Measure.rmsDecibels(voice) < -10)
    for (frequency, wanted) in [(40.0, -12.3), (80, -3), (400, 0)] {
      let tone = try render(Signals.sine(frequency, 48_000, peak: 0.5), nil, [("high_pass", 80)])
      let level = Measure.levelDecibels(of: frequency, in: tone[14_000...]) + 6.02
      #expect(abs(level - wanted) < 0.1, "\(frequency) Hz: \(level) dB")
    }
  }

  @Test func `after the input ends, the output becomes silent, even after NaN`() throws {
    var voice = speech(48_000) + Signals.silence(48_000)
    voice[9_000] = .nan
    voice[9_100] = .infinity
    let far = speech(48_000, seed: 1.4) + Signals.silence(48_000)
    let output = try render(
      voice, far, [("echo", 1), ("reduction", 15), ("levelling", 6), ("high_pass", 80)])
    #expect(output.allSatisfy { $0.isFinite })
    #expect(output[(48_000 + 36_000)...].allSatisfy { $0 == 0 })
  }
}
