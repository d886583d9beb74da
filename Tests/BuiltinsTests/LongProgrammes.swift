// LongProgrammes.swift: speech, song and music without a feedback loop, for tests. SPDX-License-Identifier: MIT

import Foundation

/// Sources that resemble acoustic feedback: steady, pure, or growing evenly.
///
/// They are computed, so that each run of a test gets the same signal.
enum LongProgramme: String, CaseIterable {
  case monotoneSpeech, highMonotoneSpeech, robotSpeech, livelySpeech, whisperedVowels
  case choir, soprano, straightVoice
  case steadyWhistle, whistleMelody, whistleSwells, slideWhistle
  case wailSiren, yelpSiren, twoToneSiren, airRaidSiren, reversingBeeper
  case organChords, organSwell, fluteOrgan
  case heldLead, padChords, arpeggio, resonantSweep, reversedNotes, theremin, pulsedTones, testTones
  case bowedSwells, feedbackDelay

  /// Returns the given number of seconds, at most 0 dBFS.
  func make(_ rate: Double, seconds: Double = 60) -> [Float] {
    var player = LongPlayer(rate: rate)
    return (0 ..< Int(seconds * rate)).map { frame in
      let value = player.sample(of: self, Double(frame) / rate) + player.noise() * 0.000_3
      return Float(max(-1, min(1, value)))
    }
  }
}

/// The state that continues from frame to frame.
private struct LongPlayer {
  let rate: Double
  private var random = UInt64(0x2545_f491_4f6c_dd1d)
  private var phases = [Double](repeating: 0, count: 40)
  private var formants = [SIMD2<Double>](repeating: .zero, count: 4)
  private var echo: [Double]

  init(rate: Double) {
    self.rate = rate
    echo = [Double](repeating: 0, count: Int(rate * 0.35))
  }

  mutating func noise() -> Double {
    random ^= random << 13
    random ^= random >> 7
    random ^= random << 17
    return Double(random >> 11) / Double(1 << 53) * 2 - 1
  }

  private mutating func tone(_ index: Int, _ hertz: Double) -> Double {
    phases[index] += hertz / rate
    phases[index] -= phases[index].rounded(.down)
    return sin(2 * .pi * phases[index])
  }

  private func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// A number from 0 to 1 that depends on `index`.
  private func chance(_ index: Int, _ salt: Int = 0) -> Double {
    let mixed = sin(Double(index) * 12.9898 + Double(salt) * 78.233) * 43_758.5453
    return mixed - mixed.rounded(.down)
  }

  mutating func sample(of programme: LongProgramme, _ t: Double) -> Double {
    switch programme {
    case .monotoneSpeech, .highMonotoneSpeech, .robotSpeech, .livelySpeech, .whisperedVowels:
      speech(programme, t)
    case .choir, .soprano, .straightVoice: song(programme, t)
    case .steadyWhistle, .whistleMelody, .whistleSwells, .slideWhistle: whistle(programme, t)
    case .wailSiren, .yelpSiren, .twoToneSiren, .airRaidSiren, .reversingBeeper:
      siren(programme, t)
    case .organChords, .organSwell, .fluteOrgan: organ(programme, t)
    case .heldLead, .padChords, .arpeggio, .resonantSweep, .reversedNotes: synthesiser(programme, t)
    default: electronics(programme, t)
    }
  }

  // MARK: - Voices

  private mutating func formant(
    _ index: Int, _ hertz: Double, _ width: Double, _ x: Double
  ) -> Double {
    let radius = exp(-.pi * width / rate)
    let turn = 2 * radius * cos(2 * .pi * hertz / rate)
    let before = formants[index]
    let y = (1 - radius) * x + turn * before.x - radius * radius * before.y
    formants[index] = SIMD2(y, before.x)
    return y
  }

  private mutating func pulse(_ hertz: Double) -> Double {
    phases[39] += hertz / rate
    guard phases[39] >= 1 else { return 0 }
    phases[39] -= 1
    return rate / hertz * 0.1
  }

  private static let vowels: [(Double, Double)] = [
    (700, 1_200), (300, 2_200), (450, 1_900), (350, 800), (600, 1_000), (270, 2_300), (500, 1_700),
  ]

  private mutating func vowel(_ index: Int, _ source: Double, width: Double = 1) -> Double {
    let (first, second) = Self.vowels[index % Self.vowels.count]
    let low = formant(0, first, 80 * width, source)
    let middle = 0.6 * formant(1, second, 110 * width, source)
    return low + middle + 0.3 * formant(2, 2_700, 160 * width, source)
  }

  private mutating func speech(_ programme: LongProgramme, _ t: Double) -> Double {
    let length = programme == .robotSpeech ? 0.25 : 0.19 + 0.06 * sin(t * 0.9)
    phases[38] += 1 / (length * rate)
    let syllable = Int(phases[38])
    let u = phases[38] - Double(syllable)
    guard syllable % 11 != 10 else { return 0 }
    let pitch: Double =
      switch programme {
      case .monotoneSpeech: 110
      case .highMonotoneSpeech: 260
      case .robotSpeech: 180
      default: 130 + 50 * sin(2 * .pi * 0.4 * t) + 15 * sin(2 * .pi * 2.3 * t)
      }
    var source = programme == .whisperedVowels ? noise() * 0.5 : pulse(pitch)
    if syllable % 3 == 2, u < 0.3 { source = noise() * 0.6 }
    let gain = min(1, u / 0.2) * min(1, (1 - u) / 0.25)
    return 0.1 * gain * vowel(Int(chance(syllable) * 7), source)
  }

  private mutating func song(_ programme: LongProgramme, _ t: Double) -> Double {
    let notes: [Double] = [392, 440, 494, 523.25, 587.33, 659.26]
    let note = Int(t / 2.4)
    let u = t.truncatingRemainder(dividingBy: 2.4)
    let gain = min(1, u / 0.35) * min(1, (2.4 - u) / 0.2)
    let root = notes[Int(chance(note) * 6)]
    switch programme {
    case .choir:
      var sum = 0.0
      for voice in 0 ..< 4 {
        let hertz = root * [0.5, 0.75, 1, 1.25][voice] * (1 + 0.002 * chance(voice))
        for harmonic in 1 ... 5 {
          sum += tone(voice * 5 + harmonic, hertz * Double(harmonic)) / Double(harmonic * harmonic)
        }
      }
      return 0.1 * gain * sum
    case .soprano:
      let source = pulse(2 * root * (1 + 0.012 * sin(2 * .pi * 5.5 * t)))
      return 0.25 * gain * vowel(note, source)
    default: return 0.25 * gain * vowel(note, pulse(root))
    }
  }

  // MARK: - Whistles and sirens

  private mutating func whistle(_ programme: LongProgramme, _ t: Double) -> Double {
    let breath = 0.02 * noise()
    let vibrato = 1 + 0.003 * sin(2 * .pi * 5.2 * t)
    switch programme {
    case .steadyWhistle:
      let u = t.truncatingRemainder(dividingBy: 12)
      let gain = min(1, u / 1.5) * min(1, (12 - u) / 2)
      return 0.4 * gain * (tone(0, 1_420 * vibrato) + breath)
    case .whistleMelody:
      let note = Int(t / 0.6)
      let u = t.truncatingRemainder(dividingBy: 0.6)
      let hertz = 1_046.5 * pow(2, (chance(note) * 12).rounded(.down) / 12)
      let rise = linear(-46 + 500 * u)
      let gain = rise / (1 + rise) * min(1, (0.6 - u) / 0.08)
      return 0.35 * gain * (tone(0, hertz * vibrato) + breath)
    case .whistleSwells:
      // Linear in decibels for three seconds: as similar to a loop as a player can be.
      let u = t.truncatingRemainder(dividingBy: 4)
      let gain = u < 3 ? linear(-36 + 12 * u) : linear(-36 * (u - 3) / 0.5)
      return 0.6 * gain * (tone(0, 1_760 * vibrato) + breath)
    default:
      let hertz = 1_200 * pow(2, 0.5 * sin(2 * .pi * 0.11 * t))
      return 0.4 * min(1, t) * (tone(0, hertz) + breath)
    }
  }

  private mutating func siren(_ programme: LongProgramme, _ t: Double) -> Double {
    switch programme {
    case .wailSiren: return 0.5 * tone(0, 1_000 + 450 * sin(2 * .pi * 0.2 * t))
    case .yelpSiren: return 0.5 * tone(0, 1_000 + 400 * sin(2 * .pi * 3.3 * t))
    case .twoToneSiren:
      // The source approaches and moves away.
      let near = linear(-30 + 30 * sin(.pi * t.truncatingRemainder(dividingBy: 20) / 20))
      let hertz = t.truncatingRemainder(dividingBy: 1.3) < 0.65 ? 435.0 : 580
      return 0.6 * near * (tone(0, hertz) + 0.4 * tone(1, 2 * hertz))
    case .airRaidSiren:
      let u = t.truncatingRemainder(dividingBy: 15)
      let speed = u < 5 ? 1 - exp(-u) : exp(-(u - 5) / 3)
      return 0.7 * speed * (tone(0, 60 + 440 * speed) + 0.4 * tone(1, 120 + 880 * speed))
    default:
      let u = t.truncatingRemainder(dividingBy: 1)
      return u < 0.5 ? 0.5 * min(1, u / 0.01) * min(1, (0.5 - u) / 0.01) * tone(0, 1_250) : 0
    }
  }

  // MARK: - Organ and synthesisers

  private mutating func organ(_ programme: LongProgramme, _ t: Double) -> Double {
    let chords: [[Double]] = [[261.6, 329.6, 392], [220, 261.6, 329.6], [174.6, 220, 261.6]]
    let chord = chords[Int(t / 8) % 3]
    let u = t.truncatingRemainder(dividingBy: 8)
    let gate = min(1, u / 0.06) * min(1, (8 - u) / 0.1)
    let swell = programme == .organSwell ? linear(-30 + 3.5 * u) : 1
    var sum = 0.0
    for (index, root) in chord.enumerated() {
      for harmonic in 1 ... 6 {
        let share =
          programme == .fluteOrgan
          ? (harmonic == 1 ? 1 : harmonic == 3 ? 0.03 : 0) : 1 / Double(harmonic)
        guard share > 0 else { continue }
        sum += share * tone(index * 6 + harmonic, root * Double(harmonic))
      }
    }
    return 0.18 * gate * swell * sum
  }

  private mutating func synthesiser(_ programme: LongProgramme, _ t: Double) -> Double {
    switch programme {
    case .heldLead:
      // A soft square that lasts for seconds, with a delayed vibrato.
      let u = t.truncatingRemainder(dividingBy: 6)
      let vibrato = 1 + 0.004 * min(1, u / 3) * sin(31 * t)
      let hertz = [440.0, 523.25, 659.26][Int(t / 6) % 3] * vibrato
      let gain = min(1, u / 0.02) * min(1, (6 - u) / 0.3)
      return 0.4 * gain * (tone(0, hertz) + 0.1 * tone(1, 3 * hertz))
    case .padChords:
      let u = t.truncatingRemainder(dividingBy: 8)
      let gain = linear(u < 4 ? -40 + 10 * u : -10 * (u - 4))
      return 0.3 * gain * (tone(0, 523.25) + tone(1, 659.26) + tone(2, 784))
    case .arpeggio:
      let u = t.truncatingRemainder(dividingBy: 0.125)
      let semitones: [Double] = [0, 7, 12, 19, 24, 19, 12, 7]
      let step = Int(t / 0.125) % semitones.count
      let hertz = 220 * pow(2.0, semitones[step] / 12.0)
      return 0.5 * min(1, u / 0.004) * exp(-u / 0.06) * tone(0, hertz)
    case .resonantSweep:
      let source = pulse(55) + pulse(55) * 0.2
      return 0.2 * formant(3, 500 * pow(4, 0.5 + 0.5 * sin(0.8 * t)), 12, source)
    default:
      // Decays that are played in reverse.
      let u = t.truncatingRemainder(dividingBy: 1)
      let hertz = [880.0, 1_318.5, 987.8, 1_174.7][Int(t) % 4]
      return u < 0.95 ? 0.6 * linear(-50 * (0.95 - u)) * tone(0, hertz) : 0
    }
  }

  private mutating func electronics(_ programme: LongProgramme, _ t: Double) -> Double {
    switch programme {
    case .theremin:
      let hertz = 600 * pow(2, 0.4 * sin(0.7 * t)) * (1 + 0.008 * sin(2 * .pi * 6 * t))
      return 0.5 * (0.5 + 0.5 * sin(0.5 * t)) * (tone(0, hertz) + 0.15 * tone(1, 2 * hertz))
    case .pulsedTones:
      let u = t.truncatingRemainder(dividingBy: 0.8)
      let gain = linear(u < 0.3 ? -60 + 200 * u : -100 * (u - 0.3))
      return 0.5 * gain * tone(0, 1_000)
    case .testTones:
      let u = t.truncatingRemainder(dividingBy: 5)
      let hertz = [1_000.0, 440, 3_150][Int(t / 5) % 3]
      return 0.5 * min(1, u / 1) * (u < 4.5 ? 1 : 0) * tone(0, hertz)
    case .bowedSwells:
      let u = t.truncatingRemainder(dividingBy: 3)
      let gain = sin(.pi * u / 3) * sin(.pi * u / 3)
      var sum = 0.0
      for harmonic in 1 ... 8 {
        sum += tone(harmonic, 440 * Double(harmonic) * (1 + 0.004 * sin(37 * t))) / Double(harmonic)
      }
      return 0.25 * gain * sum
    default:
      // A delay effect whose repeats grow until its feedback is lowered.
      let u = t.truncatingRemainder(dividingBy: 10)
      let place = Int(t * rate) % echo.count
      let input = u < 0.1 ? 0.02 * tone(0, 900) : 0
      echo[place] = input + echo[place] * (u < 6 ? 1.12 : 0.5)
      return echo[place]
    }
  }
}
