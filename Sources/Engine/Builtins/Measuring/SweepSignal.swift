// SweepSignal.swift: the probe signal of a latency measurement. SPDX-License-Identifier: MIT

import Glibc

/// An exponential sine sweep, upwards through the band that small loudspeakers and cables transmit.
///
/// It has three advantages over noise of the same length. Its crest factor is 3 dB, so it is louder
/// at the same peak. It has most energy where rooms are noisy. The products of distortion appear
/// before the signal in the deconvolution, not after it, so a clipped return is measured as well.
/// A. Farina, "Simultaneous measurement of impulse response and distortion with a swept-sine
/// technique", 108th AES Convention (2000).
package struct SweepSignal: Sendable {
  /// The length, in seconds.
  package static let seconds = 0.25
  /// The lowest frequency, in Hz: below it mains hum and rumble dominate.
  static let lowestHz = 150.0
  /// The highest frequency, in Hz.
  static let defaultMaximumHz = 12_000.0
  /// The limit of the highest frequency, as a fraction of the sample rate: converters' filters
  /// begin above it.
  private static let highestShare = 0.4
  private static let fadeInSeconds = 0.01
  private static let fadeOutSeconds = 0.001

  /// Frames a second.
  package let sampleRateHz: Double
  /// The samples; their peak is the requested level.
  package let samples: [Float]

  /// Creates a sweep with a peak level in dBFS, 0 or less.
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

  /// Returns the highest frequency of the sweep at a sample rate, in Hz.
  static func highestHz(_ sampleRateHz: Double) -> Double {
    min(defaultMaximumHz, highestShare * sampleRateHz)
  }

  /// Half a turn of a cosine from 0 to 1, and 1 after it.
  static func rise(_ fraction: Double) -> Double {
    0.5 - 0.5 * cos(.pi * min(1, max(0, fraction)))
  }
}
