// Signals.swift: test signals for modules. SPDX-License-Identifier: MIT

import Foundation

/// Test signals, the same bytes in every run.
package enum Signals {
  /// Zeros.
  package static func silence(_ frameCount: Int) -> [Float] {
    .init(repeating: 0, count: frameCount)
  }

  /// One frame of `peak`, then silence.
  package static func impulse(_ frameCount: Int, peak: Float = 1, at frame: Int = 0) -> [Float] {
    var signal = silence(frameCount)
    signal[frame] = peak
    return signal
  }

  /// A steady sine that starts at phase 0.
  package static func sine(
    _ frequencyHz: Double, _ frameCount: Int, peak: Double = 1, sampleRateHz: Double = 48_000
  ) -> [Float] {
    (0 ..< frameCount).map { frame in
      let turns = frequencyHz * Double(frame) / sampleRateHz
      return Float(peak * sin(2 * .pi * (turns - turns.rounded(.down))))
    }
  }

  /// White noise, evenly distributed between -peak and peak.
  package static func noise(_ frameCount: Int, peak: Float = 1, seed: UInt64 = 1) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0 ..< frameCount).map { _ in Float.random(in: -peak ... peak, using: &generator) }
  }

  /// A sine whose frequency rises exponentially.
  package static func sweep(
    fromHz: Double, toHz: Double, _ frameCount: Int, peak: Double = 1,
    sampleRateHz: Double = 48_000
  ) -> [Float] {
    let seconds = Double(frameCount) / sampleRateHz
    let rate = log(toHz / fromHz) / seconds
    return (0 ..< frameCount).map { frame in
      let time = Double(frame) / sampleRateHz
      return Float(peak * sin(2 * .pi * fromHz * (exp(rate * time) - 1) / rate))
    }
  }
}

/// Numbers that look random and are the same for the same seed (SplitMix64 of Steele, Lea and Flood).
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: any number.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
