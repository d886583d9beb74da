// ChannelLevels.swift: peaks, means and clips of one channel. SPDX-License-Identifier: MIT

import Glibc

/// The levels of one channel, tick by tick.
struct ChannelLevels {
  /// Full scale of 16-bit samples; with more bits and in floats it is slightly below 1.
  static let fullScale = 1 - Float(0x1p-15)
  /// This number of consecutive samples at full scale counts as clipping.
  static let clippedRun = 3
  /// The falling peak stops at -120 dBFS.
  private static let faintest = 1e-6

  /// The highest sample of the last tick, and of all.
  private(set) var last: Float = 0
  private(set) var highest: Float = 0
  /// The falling peak and the held one.
  private(set) var falling = 0.0
  private(set) var held = 0.0
  private var heldTicks = 0
  private(set) var clipCount = 0
  private var run = 0
  private var isCounted = false
  /// The sum of all samples, and of the last tick.
  private(set) var sum = 0.0
  private(set) var squares = 0.0
  private(set) var tickSquares = 0.0

  /// Takes a channel of interleaved frames and replaces NaN by silence.
  mutating func take(_ samples: UnsafeMutablePointer<Float>, stride: Int, frameCount: Int) {
    var peak: Float = 0
    var (tickSum, power) = (0.0, 0.0)
    var next = samples
    for _ in 0 ..< frameCount {
      let sample = next.pointee
      let magnitude = sample.magnitude
      if magnitude < .infinity {
        peak = max(peak, magnitude)
        tickSum += Double(sample)
        power += Double(sample) * Double(sample)
      } else {
        peak = .infinity
        next.pointee = 0
      }
      if magnitude < Self.fullScale { run = 0 } else { countClip(magnitude) }
      next += stride
    }
    last = peak
    highest = max(highest, peak)
    sum += tickSum
    squares += power
    tickSquares = power
  }

  private mutating func countClip(_ magnitude: Float) {
    run += 1
    if run == 1 { isCounted = false }
    guard !isCounted, run >= Self.clippedRun || !(magnitude <= 1) else { return }
    clipCount += 1
    isCounted = true
  }

  /// Lets the peak fall for a tick, unless it rises.
  mutating func decay(by factor: Double, holding ticks: Int) {
    let now = Double(last)
    falling = max(now, falling.isFinite ? falling * factor : 1)
    if falling < Self.faintest { falling = now }
    if now >= held {
      held = now
      heldTicks = 0
    } else {
      heldTicks += 1
      if heldTicks >= ticks { held = falling }
    }
  }
}

/// Linear amplitudes, and powers, as levels.
enum DecibelConversion {
  /// An amplitude in dBFS; minus infinity for silence.
  static func fromAmplitude(_ amplitude: Double) -> Double { 20 * log10(amplitude) }
  /// A power in dB; minus infinity for silence.
  static func fromPower(_ power: Double) -> Double { 10 * log10(power) }
  /// Returns the level of a mean square; a full-scale sine, whose mean square is 1/2, is 0 dBFS.
  static func ofMeanSquare(_ square: Double) -> Double { 10 * log10(2 * square) }
}
