// ClickDetector.swift: detects everything but a tone. SPDX-License-Identifier: MIT

import Foundation

/// Listens to a low tone, which may be faded and held back by half a cosine of 50 ms, for anything sharper.
///
/// Two frames of a tone tell the third one; what is left is a click, as high as it stands in the wave. A fade
/// leaves a trace as well, which is below -100 dBFS for a tone of 100 Hz at -20 dBFS.
package struct ClickDetector {
  /// The tone that it knows.
  package static let hertz = 100.0
  /// The level of the tone, linear.
  package static let amplitude = 0.1

  private let factor: Double
  private let rateHz: Double
  /// The frame before, and the one before that.
  private var before: (Double, Double) = (0, 0)
  /// The highest click so far, linear, and the frame that it was in.
  package private(set) var worst: (level: Double, frame: Int) = (0, 0)
  /// What the last frame had that does not belong to the tone, linear.
  package private(set) var last = 0.0
  private var frame = 0

  /// A detector that has heard nothing, at so many frames a second.
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

  /// Hears one more frame; the first two have nothing before them.
  package mutating func hear(_ sample: Float) {
    let click = abs(Double(sample) - factor * before.0 + before.1)
    last = frame > 1 ? click : 0
    if !(last <= worst.level) { worst = (last, frame) }
    before = (Double(sample), before.0)
    frame += 1
  }
}
