// MixSynthesis.swift: dense, bright, deep and sustained music for measurements of loudness. SPDX-License-Identifier: MIT

import Foundation

private let rateHz = Double(48_000)

/// Synthesises mixes that differ from plucked music: few pauses, small crest factors, other spectra.
struct MixSynthesis {
  private let frameCount: Int
  private var generator = SplitMix64(seed: 23)
  private var left: [Double]
  private var right: [Double]

  init(_ frameCount: Int) {
    self.frameCount = frameCount
    left = [Double](repeating: 0, count: frameCount)
    right = left
  }

  /// Both channels, with a peak of 1.
  private var result: [[Float]] {
    let peak = max(left.map(abs).max() ?? 1, right.map(abs).max() ?? 1)
    return [left, right].map { $0.map { Float($0 / peak) } }
  }

  /// Distorted chords, bass and drums over pink noise, as in a mastered rock mix.
  static func dense(_ frameCount: Int) -> [[Float]] {
    var mix = Self(frameCount)
    let roots = [40, 45, 43, 47]
    for (bar, start) in stride(from: 0, to: frameCount, by: 96_000).enumerated() {
      let root = roots[bar % roots.count]
      for (voice, interval) in [0, 7, 12, 16, 19].enumerated() {
        let pan = Double(voice) * 0.35 - 0.7
        mix.saw(root + interval, start, 96_000, level: 0.12, pan: pan)
        mix.saw(root + interval, start, 96_000, level: 0.12, pan: -pan, detune: 1.004)
      }
      mix.saw(root - 12, start, 96_000, level: 0.3, pan: 0)
    }
    mix.pinkNoise(level: 0.05)
    mix.drums(every: 12_000)
    // A mastering limiter, which reduces the peaks.
    for frame in 0 ..< frameCount {
      mix.left[frame] = tanh(1.5 * mix.left[frame])
      mix.right[frame] = tanh(1.5 * mix.right[frame])
    }
    return mix.result
  }

  /// High partials that beat, and cymbals, over a quiet body.
  static func bright(_ frameCount: Int) -> [[Float]] {
    var mix = Self(frameCount)
    for (index, hertz) in [523.3, 1_046, 2_093, 2_637, 3_136, 4_186, 5_274, 6_272, 8_372, 9_397]
      .enumerated()
    {
      let level = index < 2 ? 0.1 : 0.12
      mix.sine(hertz, 0, frameCount, level: level, pan: -0.6, beatHz: 0.31 + 0.13 * Double(index))
      mix.sine(
        hertz * 1.003, 0, frameCount, level: level, pan: 0.6, beatHz: 0.23 + 0.17 * Double(index))
    }
    mix.cymbals(every: 6_500, level: 0.5)
    return mix.result
  }

  /// A bass line with a hi-hat.
  static func deep(_ frameCount: Int) -> [[Float]] {
    var mix = Self(frameCount)
    let line = [28, 28, 40, 31, 33, 33, 45, 35]
    for (step, start) in stride(from: 0, to: frameCount, by: 12_000).enumerated() {
      let note = line[step / 2 % line.count]
      mix.saw(note, start, 11_000, level: 0.5, pan: 0, harmonics: 12)
      mix.sine(hertz(note), start, 11_000, level: 0.8, pan: 0)
    }
    mix.cymbals(every: 12_000, level: 0.15)
    return mix.result
  }

  /// Sustained chords of sines that swell.
  static func pads(_ frameCount: Int) -> [[Float]] {
    var mix = Self(frameCount)
    let chords = [[57, 60, 64, 67, 72], [53, 57, 60, 64, 69], [55, 59, 62, 67, 74]]
    for (bar, start) in stride(from: 0, to: frameCount, by: 144_000).enumerated() {
      for (voice, note) in chords[bar % chords.count].enumerated() {
        for (octave, level) in [(0.5, 0.3), (1, 1), (2, 0.3), (3, 0.12)] {
          mix.sine(
            hertz(note) * octave, start, 144_000, level: 0.2 * level,
            pan: Double(voice) * 0.4 - 0.8, beatHz: 0.2 + 0.07 * Double(voice))
        }
      }
    }
    return mix.result
  }

  // MARK: - Parts

  private static func hertz(_ note: Int) -> Double { 440 * pow(2, Double(note - 69) / 12) }

  private mutating func add(_ sample: Double, at frame: Int, pan: Double) {
    guard frame < frameCount else { return }
    left[frame] += sample * cos((pan + 1) * .pi / 4)
    right[frame] += sample * sin((pan + 1) * .pi / 4)
  }

  /// Fades in and out over 10 ms.
  private static func edge(_ frame: Int, of count: Int) -> Double {
    min(1, Double(min(frame, count - frame)) / 480)
  }

  private mutating func sine(
    _ hertz: Double, _ start: Int, _ count: Int, level: Double, pan: Double, beatHz: Double = 0
  ) {
    for frame in 0 ..< count {
      let time = Double(start + frame) / rateHz
      let beat = beatHz == 0 ? 1 : 0.65 + 0.35 * sin(2 * .pi * beatHz * time)
      let sample = level * beat * sin(2 * .pi * hertz * time)
      add(sample * Self.edge(frame, of: count), at: start + frame, pan: pan)
    }
  }

  private mutating func saw(
    _ note: Int, _ start: Int, _ count: Int, level: Double, pan: Double, detune: Double = 1,
    harmonics: Int = 40
  ) {
    let hertz = Self.hertz(note) * detune
    // One cycle, read at the pitch.
    let cycle = (0 ..< 2_048).map { place in
      (1 ... harmonics).reduce(0.0) { sum, number in
        guard hertz * Double(number) < 16_000 else { return sum }
        return sum + sin(2 * .pi * Double(number * place) / 2_048) / Double(number)
      }
    }
    for frame in 0 ..< count {
      let turns = Double(frame) * hertz / rateHz
      let place = Int((turns - turns.rounded(.down)) * 2_048)
      add(level * cycle[place] * Self.edge(frame, of: count), at: start + frame, pan: pan)
    }
  }

  /// Noise that falls by 3 dB per octave, with the filter of Paul Kellet.
  private mutating func pinkNoise(level: Double) {
    for side in 0 ..< 2 {
      var (low, middle, high) = (0.0, 0.0, 0.0)
      for frame in 0 ..< frameCount {
        let white = Double.random(in: -1 ... 1, using: &generator)
        low = 0.99765 * low + white * 0.0990460
        middle = 0.96300 * middle + white * 0.2965164
        high = 0.57000 * high + white * 1.0526913
        let sample = level * (low + middle + high + white * 0.1848)
        if side == 0 { left[frame] += sample } else { right[frame] += sample }
      }
    }
  }

  private mutating func cymbals(every step: Int, level: Double) {
    for start in stride(from: 0, to: frameCount, by: step) {
      var last = 0.0
      for frame in 0 ..< min(step, 9_600) {
        let noise = Double.random(in: -1 ... 1, using: &generator)
        add(level * (noise - last) * exp(-Double(frame) / 2_400), at: start + frame, pan: 0.2)
        last = noise
      }
    }
  }

  private mutating func drums(every step: Int) {
    cymbals(every: step, level: 0.2)
    for (beat, start) in stride(from: 0, to: frameCount, by: 2 * step).enumerated() {
      for frame in 0 ..< 2 * step {
        let time = Double(frame) / rateHz
        let kick = sin(2 * .pi * (50 * time + 4 * (1 - exp(-time / 0.03)))) * exp(-time / 0.12)
        let noise = Double.random(in: -1 ... 1, using: &generator)
        let snare = 0.7 * noise * exp(-time / 0.1)
        add(beat % 2 == 0 ? kick : snare, at: start + frame, pan: 0)
      }
    }
  }
}
