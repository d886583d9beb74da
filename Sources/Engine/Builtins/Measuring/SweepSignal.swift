// SweepSignal.swift: the sound whose return is timed. SPDX-License-Identifier: MIT

import Glibc

/// An exponential sine sweep, upwards through the band that small loudspeakers and cables carry.
///
/// Beside noise of the same length it has three merits: its crest factor is 3 dB, so it is louder at
/// the same peak; it has most energy where rooms are noisy; and what distortion adds comes out of the
/// deconvolution before the sound itself, not after it, so that a clipped return is timed as well.
/// A. Farina, "Simultaneous measurement of impulse response and distortion with a swept-sine
/// technique", 108th AES Convention (2000).
package struct SweepSignal: Sendable {
  /// How long it is, in seconds.
  package static let seconds = 0.25
  /// Where it begins, in Hz: below it mains hum and rumble prevail.
  static let lowestHz = 150.0
  /// Where it ends at most, in Hz.
  static let usualHighestHz = 12_000.0
  /// Where it ends at most, as a share of the rate: converters' filters begin above it.
  private static let highestShare = 0.4
  private static let fadeInSeconds = 0.01
  private static let fadeOutSeconds = 0.001

  /// Frames a second.
  package let sampleRateHz: Double
  /// What is played; its peak is the level that was asked for.
  package let samples: [Float]

  /// A sweep whose peak lies at so many dBFS, 0 or less.
  package init(sampleRateHz: Double, levelDecibels: Double) {
    self.sampleRateHz = sampleRateHz
    let amplitude = pow(10, levelDecibels / 20)
    let highestHz = Self.highestHz(sampleRateHz)
    let count = Int(Self.seconds * sampleRateHz)
    let octaveSeconds = Self.seconds / log(highestHz / Self.lowestHz)
    samples = (0 ..< count).map { frame in
      let time = Double(frame) / sampleRateHz
      let cycles = Self.lowestHz * octaveSeconds * (exp(time / octaveSeconds) - 1)
      let left = Double(count - frame) / sampleRateHz
      let fade = Self.rise(time / Self.fadeInSeconds) * Self.rise(left / Self.fadeOutSeconds)
      return Float(amplitude * fade * sin(2 * .pi * cycles))
    }
  }

  /// Where the sweep ends at a rate, in Hz.
  static func highestHz(_ sampleRateHz: Double) -> Double {
    min(usualHighestHz, highestShare * sampleRateHz)
  }

  /// Half a turn of a cosine from 0 to 1, and 1 after it.
  static func rise(_ share: Double) -> Double {
    0.5 - 0.5 * cos(.pi * min(1, max(0, share)))
  }
}
