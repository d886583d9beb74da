// Programme.swift: synthetic speech and music for measurements of loudness. SPDX-License-Identifier: MIT

import Foundation

/// Test signals for modules: twelve seconds of stereo at a sample rate of 48 kHz, the same bytes in
/// every run.
package enum Programme: CaseIterable, Sendable {
  /// One voice: vowels with a pitch that falls, hisses between them, and pauses.
  ///
  /// Both channels are equal.
  case speech
  /// Chords, bass and drums, spread over the stereo field.
  case music
  /// Distorted chords, bass, drums and noise with a small crest factor.
  case dense
  /// High partials and cymbals.
  case bright
  /// A bass line and a hi-hat.
  case deep
  /// Sustained chords of sines.
  case pads

  /// Length in frames.
  package static let frameCount = 12 * rate

  /// The two channels, with a peak of 1.
  ///
  /// Synthesised once, because that takes as long as a test.
  package var channels: [[Float]] { Self.synthesised[self] ?? [] }

  private static let synthesised = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, $0.synthesise()) })

  private func synthesise() -> [[Float]] {
    switch self {
    case .speech: SpeechSynthesis.channels(Self.frameCount)
    case .music: MusicSynthesis.channels(Self.frameCount)
    case .dense: MixSynthesis.dense(Self.frameCount)
    case .bright: MixSynthesis.bright(Self.frameCount)
    case .deep: MixSynthesis.deep(Self.frameCount)
    case .pads: MixSynthesis.pads(Self.frameCount)
    }
  }

  /// The two channels with every sample multiplied.
  package static func scaled(_ channels: [[Float]], by gain: Float) -> [[Float]] {
    channels.map { $0.map { $0 * gain } }
  }
}

private let rate = 48_000
private let rateHz = Double(rate)

/// Scales channels to a common peak of 1.
private func normalised(_ channels: [[Double]]) -> [[Float]] {
  let peak = channels.flatMap { $0 }.map { abs($0) }.max() ?? 1
  return channels.map { $0.map { Float($0 / peak) } }
}

/// A two-pole resonance of unity gain at 0 Hz.
///
/// After D. H. Klatt, "Software for a Cascade/Parallel Formant Synthesizer", J. Acoust. Soc. Am. 67 (3), 1980.
private struct Resonator {
  var (first, second) = (0.0, 0.0)

  mutating func next(_ sample: Double, hertz: Double, widthHz: Double) -> Double {
    let radius = exp(-.pi * widthHz / rateHz)
    let b = 2 * radius * cos(2 * .pi * hertz / rateHz)
    let c = -radius * radius
    let output = (1 - b - c) * sample + b * first + c * second
    (first, second) = (output, first)
    return output
  }
}

// MARK: - Speech

private enum SpeechSynthesis {
  /// Formants 1 to 3 of seven vowels, in Hz.
  ///
  /// From G. E. Peterson and H. L. Barney, J. Acoust. Soc. Am. 24 (2), 1952.
  static let vowels: [[Double]] = [
    [730, 1_090, 2_440], [270, 2_290, 3_010], [530, 1_840, 2_480], [570, 840, 2_410],
    [300, 870, 2_240], [660, 1_720, 2_410], [440, 1_020, 2_240],
  ]
  /// Syllables of 0.22 s; every ninth and tenth is a pause.
  static let syllable = rate * 22 / 100

  static func channels(_ frameCount: Int) -> [[Float]] {
    var generator = SplitMix64(seed: 21)
    var formants = [Resonator](repeating: Resonator(), count: 4)
    var hiss = Resonator()
    var (turns, source, tilt, previous) = (0.0, 0.0, 0.0, 0.0)
    var place = vowels[0]
    let voice = (0 ..< frameCount).map { frame in
      let (index, offset) = (frame / syllable, Double(frame % syllable) / Double(syllable))
      let isPause = index % 10 >= 8
      let goal = vowels[index * 5 % vowels.count]
      for formant in place.indices { place[formant] += (goal[formant] - place[formant]) * 0.001 }
      // A pitch that falls over a phrase, with a rise in each syllable.
      turns += (130 - 4 * Double(index % 10) + 12 * sin(.pi * offset)) / rateHz
      let pulse = turns >= 1 ? 1.0 : 0
      turns -= turns.rounded(.down)
      source += (pulse - source) * 0.05
      tilt += (source - tilt) * 0.1
      var sound = tilt * (isPause ? 0 : pow(sin(.pi * min(1, offset * 1.15)), 0.5).magnitude)
      for formant in place.indices {
        sound = formants[formant].next(
          sound, hertz: place[formant], widthHz: 60 + 40 * Double(formant))
      }
      sound = formants[3].next(sound, hertz: 3_500, widthHz: 200)
      // The sound radiated by the lips is the derivative.
      let radiated = sound - 0.95 * previous
      previous = sound
      let isHiss = !isPause && index % 3 == 1 && offset > 0.7
      let noise = isHiss ? Double.random(in: -1 ... 1, using: &generator) : 0
      return radiated + 0.0025 * (noise - hiss.next(noise, hertz: 2_000, widthHz: 2_500))
    }
    return normalised([voice, voice])
  }
}

// MARK: - Music

private enum MusicSynthesis {
  /// Four beats of 0.47 s each, as MIDI notes.
  static let chords = [[57, 60, 64, 69], [53, 57, 60, 65], [48, 55, 64, 67], [55, 59, 62, 71]]
  static let beat = rate * 47 / 100

  static func channels(_ frameCount: Int) -> [[Float]] {
    var (left, right) = ([Double](repeating: 0, count: frameCount), [Double]())
    right = left
    func add(_ sound: [Double], at frame: Int, pan: Double) {
      for (index, sample) in sound.enumerated() where frame + index < frameCount {
        left[frame + index] += sample * cos((pan + 1) * .pi / 4)
        right[frame + index] += sample * sin((pan + 1) * .pi / 4)
      }
    }
    var generator = SplitMix64(seed: 22)
    for index in 0 ..< frameCount / beat {
      let frame = index * beat
      let chord = chords[index / 4 % chords.count]
      for (voice, note) in chord.enumerated() {
        let pan = Double(voice) * 0.4 - 0.6
        add(pluck(note: note, decaySeconds: 0.5, harmonics: 12), at: frame, pan: pan)
      }
      let bass = pluck(note: chord[0] - 24, decaySeconds: 0.4, harmonics: 6)
      add(bass.map { $0 * 2 }, at: frame, pan: 0)
      if index % 2 == 0 { add(kick(), at: frame, pan: 0) }
      if index % 2 == 1 { add(drum(0.12, 0.9, &generator), at: frame, pan: 0.1) }
      for half in 0 ..< 2 {
        add(drum(0.03, 0.25, &generator), at: frame + half * beat / 2, pan: 0.5)
      }
    }
    return normalised([left, right])
  }

  /// A string whose upper harmonics are weaker, and decay sooner.
  static func pluck(note: Int, decaySeconds: Double, harmonics: Int) -> [Double] {
    let hertz = 440 * pow(2, Double(note - 69) / 12)
    return (0 ..< beat).map { frame in
      let time = Double(frame) / rateHz
      let sum = (1 ... harmonics).reduce(0.0) { sum, harmonic in
        let number = Double(harmonic)
        let level = exp(-time / decaySeconds * (1 + 0.3 * number)) / number
        return sum + level * sin(2 * .pi * hertz * number * time)
      }
      let ends = min(1, min(time * 300, Double(beat - frame) / rateHz * 100))
      return sum * ends * 0.3
    }
  }

  static func kick() -> [Double] {
    (0 ..< beat / 2).map { frame in
      let time = Double(frame) / rateHz
      return sin(2 * .pi * (50 * time + 4 * (1 - exp(-time / 0.03)))) * exp(-time / 0.12)
    }
  }

  static func drum(
    _ decaySeconds: Double, _ peak: Double, _ generator: inout SplitMix64
  ) -> [Double] {
    (0 ..< beat / 2).map { frame in
      let noise = Double.random(in: -1 ... 1, using: &generator)
      return peak * noise * exp(-Double(frame) / rateHz / decaySeconds)
    }
  }
}
