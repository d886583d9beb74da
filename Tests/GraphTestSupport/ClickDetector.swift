// ClickDetector.swift: detects everything except a tone. SPDX-License-Identifier: MIT

import Foundation

/// Detects clicks in a low tone, which may have fades and cosine gaps of 50 ms.
///
/// Two frames of a tone predict the third one; the rest is a click, with its full height. A fade
/// leaves a residue as well, which is below -100 dBFS for a tone of 100 Hz at -20 dBFS.
package struct ClickDetector {
  /// The tone that it expects.
  package static let hertz = 100.0
  /// The level of the tone, linear.
  package static let amplitude = 0.1

  private let factor: Double
  private let rateHz: Double
  /// The frame before, and the one before that.
  private var before: (Double, Double) = (0, 0)
  /// The highest click so far, linear, and the frame that it was in.
  package private(set) var worst: (level: Double, frame: Int) = (0, 0)
  /// The deviation of the last frame from the tone, linear.
  package private(set) var last = 0.0
  private var frame = 0

  /// Creates a detector for a sample rate.
  package init(rateHz: Double = 48_000) {
    self.rateHz = rateHz
    factor = 2 * cos(2 * Double.pi * Self.hertz / rateHz)
  }

  /// The tone at a frame.
  package func tone(at frame: Int) -> Float {
    let phase = Double(frame).truncatingRemainder(dividingBy: rateHz / Self.hertz)
    return Float(Self.amplitude * sin(2 * Double.pi * Self.hertz / rateHz * phase))
  }

  /// The level of the worst click so far, in decibels of full scale.
  package var worstDecibels: Double { worst.level > 0 ? 20 * log10(worst.level) : -.infinity }

  /// Processes the next frame; the first two have no prediction.
  package mutating func hear(_ sample: Float) {
    let click = abs(Double(sample) - factor * before.0 + before.1)
    last = frame > 1 ? click : 0
    if !(last <= worst.level) { worst = (last, frame) }
    before = (Double(sample), before.0)
    frame += 1
  }
}
