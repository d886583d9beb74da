// Programmes.swift: sounds that are no howls, for tests. SPDX-License-Identifier: MIT

import Foundation

/// Sounds as somebody makes them before a microphone, by formula and always the same.
enum Programme: String, CaseIterable {
  case organCrescendo, fluteStop, whistleVibrato, whistleGlide, synthSlowAttack, synthPluck
  case sineSwell, sweep, bell, feedbackGuitar, noiseBursts, speech, singing, piano, whistleOnsets
  case kettle

  /// So many seconds of it.
  func make(_ rate: Double, seconds: Double = 6) -> [Float] {
    var random = UInt64(88_172_645_463_325_252)
    func noise() -> Double {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Double(random >> 11) / Double(1 << 53) * 2 - 1
    }
    var phase = [Double](repeating: 0, count: 64)
    func tone(_ index: Int, _ hertz: Double) -> Double {
      phase[index] += hertz / rate
      phase[index] -= phase[index].rounded(.down)
      return sin(2 * .pi * phase[index])
    }
    func db(_ value: Double) -> Double { pow(10, value / 20) }
    var formants = [(0.0, 0.0)](repeating: (0, 0), count: 3)
    func formant(_ index: Int, _ hertz: Double, _ width: Double, _ x: Double) -> Double {
      let r = exp(-.pi * width / rate)
      let y =
        (1 - r) * x + 2 * r * cos(2 * .pi * hertz / rate) * formants[index].0
        - r * r * formants[index].1
      formants[index] = (y, formants[index].0)
      return y
    }
    return (0 ..< Int(seconds * rate)).map { frame in
      let t = Double(frame) / rate
      let floor = noise() * 0.000_3
      func value() -> Double {
        switch self {
        case .organCrescendo:
          // 4 dB a second, straight in decibels, over harmonics of a principal stop.
          let gain = db(-34 + 4 * t)
          return gain
            * (0 ..< 8).reduce(0) { $0 + tone($1, 330 * Double($1 + 1)) * db(-5 * Double($1)) }
        case .fluteStop:
          let gain = db(-30 + 3 * t) * min(1, t / 0.08)
          return gain
            * (tone(0, 523.25) + 0.02 * tone(1, 1_046.5) + 0.08 * tone(2, 1_569.75)
              + 0.02 * noise())
        case .whistleVibrato:
          let wave = sin(2 * .pi * 5.5 * t)
          let gain = 0.3 * min(1, t / 0.12) * (1 + 0.1 * wave)
          return gain * (tone(0, 1_500 * pow(2, wave * 40 / 1_200)) + 0.02 * noise())
        case .whistleGlide:
          let u = t.truncatingRemainder(dividingBy: 1)
          let gain = 0.35 * min(1, u / 0.15) * min(1, (1 - u) / 0.1)
          return gain * (tone(0, 900 * pow(2, u * u)) + 0.02 * noise())
        case .whistleOnsets:
          // A whistle starts as an oscillator does: straight in decibels, then bends.
          let u = t.truncatingRemainder(dividingBy: 0.75)
          let rise = db(-46 + 400 * u)
          let gain = 0.3 * rise / (1 + rise) * min(1, (0.75 - u) / 0.05)
          return gain * tone(0, 1_800 + 25 * sin(2 * .pi * 5 * t) + 60 * exp(-u / 0.05))
        case .kettle:
          // Slower than any player, pure, and growing to the limit of hearing.
          return 0.5 * min(1, t / 5) * tone(0, 2_200 + 8 * sin(2 * .pi * 1.3 * t))
        case .synthSlowAttack:
          let u = t.truncatingRemainder(dividingBy: 3)
          let gain = u < 1.2 ? u / 1.2 : exp(-(u - 1.2) / 0.5)
          return 0.6 * gain * tone(0, 440)
        case .synthPluck:
          let u = t.truncatingRemainder(dividingBy: 0.5)
          let hertz = [220, 330, 440, 660.0][Int(t / 0.5) % 4]
          return 0.7 * min(1, u / 0.002) * exp(-u / 0.2) * tone(0, hertz)
        case .sineSwell:
          return 0.5 * 0.5 * (1 - cos(2 * .pi * t / 3)) * tone(0, 700)
        case .sweep:
          return 0.8 * tone(0, 50 * pow(320, t / seconds))
        case .bell:
          let u = t.truncatingRemainder(dividingBy: 2)
          return 0.25 * min(1, u / 0.001)
            * (tone(0, 820) * exp(-u / 1.5) + tone(1, 1_640) * exp(-u / 0.9)
              + tone(2, 1_968) * exp(-u / 0.7) + tone(3, 2_460) * exp(-u / 0.5))
        case .feedbackGuitar:
          // Recorded feedback: a string note that turns into its twelfth, through an amplifier.
          let u = t.truncatingRemainder(dividingBy: 3)
          let string = exp(-u / 0.8) * (tone(0, 196) + 0.5 * tone(1, 392) + 0.3 * tone(3, 784))
          let howl = 0.7 / (1 + exp(-(u - 1.5) * 4)) * tone(2, 588 + 1.5 * sin(2 * .pi * 4 * t))
          return 0.4 * tanh(2 * (string + howl))
        case .noiseBursts:
          return t.truncatingRemainder(dividingBy: 0.6) < 0.25 ? 0.5 * noise() : 0
        case .speech, .singing:
          let isSpeech = self == .speech
          let u = t.truncatingRemainder(dividingBy: isSpeech ? 0.22 : 1.5)
          let syllable = Int(t / (isSpeech ? 0.22 : 1.5))
          let pitch =
            isSpeech
            ? 120 + 40 * sin(2 * .pi * 0.7 * t) + 15 * sin(2 * .pi * 3.1 * t)
            : [392, 440, 494, 523.25][syllable % 4] * (1 + 0.012 * sin(2 * .pi * 5.5 * t))
          phase[9] += pitch / rate
          let isPulse = phase[9] >= 1
          if isPulse { phase[9] -= 1 }
          let source = isPulse ? rate / pitch * 0.1 : 0
          let breath = isSpeech && syllable % 3 == 2 && u < 0.07 ? noise() * 0.6 : 0
          let gain = isSpeech ? sin(.pi * min(1, u / 0.2)) : min(1, u / 0.2) * min(1, (1.5 - u) / 0.2)
          let first = [700, 300, 450, 350, 600.0][syllable % 5]
          let second = [1_200, 2_200, 1_900, 800, 1_000.0][syllable % 5]
          let x = source + breath
          return 6 * gain
            * (formant(0, first, 80, x) + 0.6 * formant(1, second, 110, x)
              + 0.3 * formant(2, 2_700, 160, x))
        case .piano:
          let u = t.truncatingRemainder(dividingBy: 0.8)
          let root = [130.8, 196, 261.6, 349.2][Int(t / 0.8) % 4]
          return 0.2 * min(1, u / 0.003)
            * (0 ..< 10).reduce(0) { sum, n in
              let harmonic = Double(n + 1)
              return sum + tone(n, root * harmonic * (1 + 0.000_3 * harmonic * harmonic))
                * exp(-u * (0.8 + 0.5 * harmonic)) / harmonic
            }
        }
      }
      return Float(value() + floor)
    }
  }
}
