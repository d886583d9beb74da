// TestSignals.swift: signals that are not feedback, for tests. SPDX-License-Identifier: MIT

import Foundation

/// Signals as from a microphone, computed, the same in each run.
enum Programme: String, CaseIterable {
  case organCrescendo, fluteStop, whistleVibrato, whistleGlide, synthSlowAttack, synthPluck
  case sineSwell, sweep, bell, feedbackGuitar, noiseBursts, speech, singing, piano, whistleOnsets
  case kettle

  /// Returns the given number of seconds.
  func make(_ rate: Double, seconds: Double = 6) -> [Float] {
    var player = Player(rate: rate)
    return (0 ..< Int(seconds * rate)).map { frame in
      let time = Double(frame) / rate
      let floor = player.noise() * 0.000_3
      return Float(player.sample(of: self, time, of: seconds) + floor)
    }
  }
}

/// The state from frame to frame.
private struct Player {
  let rate: Double
  private var random = UInt64(88_172_645_463_325_252)
  private var phases: [Double]
  private var formants: [SIMD2<Double>]

  init(rate: Double) {
    self.rate = rate
    phases = [Double](repeating: 0, count: 16)
    formants = [SIMD2<Double>](repeating: .zero, count: 3)
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

  mutating func sample(of programme: Programme, _ t: Double, of seconds: Double) -> Double {
    switch programme {
    case .organCrescendo: organ(t)
    case .fluteStop: flute(t)
    case .whistleVibrato, .whistleGlide, .whistleOnsets, .kettle: whistle(programme, t)
    case .synthSlowAttack, .synthPluck, .sineSwell: synthesiser(programme, t)
    case .sweep: 0.8 * tone(0, 50 * pow(320, t / seconds))
    case .bell: bell(t)
    case .feedbackGuitar: guitar(t)
    case .noiseBursts: t.truncatingRemainder(dividingBy: 0.6) < 0.25 ? 0.5 * noise() : 0
    case .speech, .singing: voice(t, isSpeech: programme == .speech)
    case .piano: piano(t)
    }
  }

  /// 4 dB a second, linear in decibels, over the harmonics of a principal stop.
  private mutating func organ(_ t: Double) -> Double {
    var sum = 0.0
    for index in 0 ..< 8 {
      sum += tone(index, 330 * Double(index + 1)) * linear(-5 * Double(index))
    }
    return linear(-34 + 4 * t) * sum
  }

  private mutating func flute(_ t: Double) -> Double {
    let gain = linear(-30 + 3 * t) * min(1, t / 0.08)
    let octave = 0.02 * tone(1, 1_046.5)
    let twelfth = 0.08 * tone(2, 1_569.75)
    return gain * (tone(0, 523.25) + octave + twelfth + 0.02 * noise())
  }

  private mutating func whistle(_ programme: Programme, _ t: Double) -> Double {
    switch programme {
    case .whistleVibrato:
      let wave = sin(2 * .pi * 5.5 * t)
      let gain = 0.3 * min(1, t / 0.12) * (1 + 0.1 * wave)
      return gain * (tone(0, 1_500 * pow(2, wave * 40 / 1_200)) + 0.02 * noise())
    case .whistleGlide:
      let u = t.truncatingRemainder(dividingBy: 1)
      let gain = 0.35 * min(1, u / 0.15) * min(1, (1 - u) / 0.1)
      return gain * (tone(0, 900 * pow(2, u * u)) + 0.02 * noise())
    case .whistleOnsets:
      // A whistle starts like an oscillator: linear in decibels, then with a bend.
      let u = t.truncatingRemainder(dividingBy: 0.75)
      let rise = linear(-46 + 400 * u)
      let gain = 0.3 * rise / (1 + rise) * min(1, (0.75 - u) / 0.05)
      return gain * tone(0, 1_800 + 25 * sin(2 * .pi * 5 * t) + 60 * exp(-u / 0.05))
    default:
      // A kettle: pure, and slower than any player.
      return 0.5 * min(1, t / 5) * tone(0, 2_200 + 8 * sin(2 * .pi * 1.3 * t))
    }
  }

  private mutating func synthesiser(_ programme: Programme, _ t: Double) -> Double {
    switch programme {
    case .synthSlowAttack:
      let u = t.truncatingRemainder(dividingBy: 3)
      let gain = u < 1.2 ? u / 1.2 : exp(-(u - 1.2) / 0.5)
      return 0.6 * gain * tone(0, 440)
    case .synthPluck:
      let u = t.truncatingRemainder(dividingBy: 0.5)
      let hertz: [Double] = [220, 330, 440, 660]
      return 0.7 * min(1, u / 0.002) * exp(-u / 0.2) * tone(0, hertz[Int(t / 0.5) % 4])
    default:
      return 0.25 * (1 - cos(2 * .pi * t / 3)) * tone(0, 700)
    }
  }

  private mutating func bell(_ t: Double) -> Double {
    let u = t.truncatingRemainder(dividingBy: 2)
    var sum = tone(0, 820) * exp(-u / 1.5)
    sum += tone(1, 1_640) * exp(-u / 0.9)
    sum += tone(2, 1_968) * exp(-u / 0.7)
    sum += tone(3, 2_460) * exp(-u / 0.5)
    return 0.25 * min(1, u / 0.001) * sum
  }

  /// Recorded feedback: a string's note that changes to its twelfth, through an amplifier.
  private mutating func guitar(_ t: Double) -> Double {
    let u = t.truncatingRemainder(dividingBy: 3)
    var string = tone(0, 196) + 0.5 * tone(1, 392)
    string += 0.3 * tone(3, 784)
    let howl = 0.7 / (1 + exp(-(u - 1.5) * 4)) * tone(2, 588 + 1.5 * sin(2 * .pi * 4 * t))
    return 0.4 * tanh(2 * (string * exp(-u / 0.8) + howl))
  }

  /// Pulses of a voice, or breath, through three formants.
  private mutating func voice(_ t: Double, isSpeech: Bool) -> Double {
    let length = isSpeech ? 0.22 : 1.5
    let u = t.truncatingRemainder(dividingBy: length)
    let syllable = Int(t / length)
    let notes: [Double] = [392, 440, 494, 523.25]
    let spoken = 120 + 40 * sin(2 * .pi * 0.7 * t) + 15 * sin(2 * .pi * 3.1 * t)
    let sung = notes[syllable % 4] * (1 + 0.012 * sin(2 * .pi * 5.5 * t))
    let pitch = isSpeech ? spoken : sung
    phases[9] += pitch / rate
    var source = 0.0
    if phases[9] >= 1 {
      phases[9] -= 1
      source = rate / pitch * 0.1
    }
    if isSpeech, syllable % 3 == 2, u < 0.07 { source += noise() * 0.6 }
    let gain = isSpeech ? sin(.pi * min(1, u / 0.2)) : min(1, u / 0.2) * min(1, (1.5 - u) / 0.2)
    let first: [Double] = [700, 300, 450, 350, 600]
    let second: [Double] = [1_200, 2_200, 1_900, 800, 1_000]
    let low = formant(0, first[syllable % 5], 80, source)
    let middle = 0.6 * formant(1, second[syllable % 5], 110, source)
    let high = 0.3 * formant(2, 2_700, 160, source)
    return (isSpeech ? 0.05 : 0.25) * gain * (low + middle + high)
  }

  private mutating func piano(_ t: Double) -> Double {
    let u = t.truncatingRemainder(dividingBy: 0.8)
    let roots: [Double] = [130.8, 196, 261.6, 349.2]
    let root = roots[Int(t / 0.8) % 4]
    var sum = 0.0
    for index in 0 ..< 10 {
      let harmonic = Double(index + 1)
      let hertz = root * harmonic * (1 + 0.000_3 * harmonic * harmonic)
      sum += tone(index, hertz) * exp(-u * (0.8 + 0.5 * harmonic)) / harmonic
    }
    return 0.2 * min(1, u / 0.003) * sum
  }
}
