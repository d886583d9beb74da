// SibilanceDetector.swift: detects unvoiced sounds. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Distinguishes an s from a vowel by the share of the voice's power above 4 kHz.
struct SibilanceDetector {
  private static let cutoffHz = 4_000.0
  private static let seconds = 0.004
  private let filter: MultimodeCoefficients
  private let coefficient: Float
  private var state = MultimodeState()
  private var powers = SIMD2<Float>.zero  // above and below
  /// The voice above the cutoff, of the last frame.
  private(set) var highs = SIMD2<Float>.zero

  init(sampleRateHz: Double) {
    filter = MultimodeCoefficients(
      cutoffHz: min(Self.cutoffHz, 0.3 * sampleRateHz), q: 0.707_1, sampleRateHz: sampleRateHz)
    coefficient = Float(
      1
        - EnvelopeFollower.coefficient(
          timeConstantSeconds: Self.seconds, sampleRateHz: sampleRateHz))
  }

  @_noLocks
  mutating func clear() {
    state = MultimodeState()
    powers = .zero
    highs = .zero
  }

  /// Clears state that is too small to be audible. [render]
  @_noLocks
  mutating func rest() { powers.replace(with: 0, where: powers .< 1e-18) }

  /// From 0, a vowel, to 1, an s. [render]
  @_noLocks
  @inline(__always)
  mutating func next(_ voice: SIMD2<Float>) -> Float {
    let parts = filter.step(SIMD2<Double>(voice), &state)
    highs = SIMD2<Float>(parts.high)
    let lows = SIMD2<Float>(parts.low)
    let now = SIMD2((highs * highs).sum(), (lows * lows).sum())
    powers += coefficient * (now - powers)
    let part = powers.x / (powers.x + powers.y + 1e-15)
    // All below a sixth is voice, all above a half is not.
    return min(max(3 * part - 0.5, 0), 1)
  }
}
