// Weighting.swift: how loud each frequency counts. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The two filters of ITU-R BS.1770-4, K-weighting: a shelf for the head, and a high-pass.
///
/// The standard gives coefficients for 48 kHz only. The numbers here are the analogue prototypes that give
/// these with nine digits, so that every sample rate has the same curve (B. De Man, Evaluation of
/// Implementations of the EBU R128 Loudness Measurement, AES 145th Convention, 2018).
struct Weighting {
  private let shelf: FilterCoefficients
  private let highPass: FilterCoefficients
  private var shelfState = FilterState()
  private var highPassState = FilterState()

  init(sampleRateHz: Double) {
    let shelfTangent = Self.tangent(1_681.974_450_955_533, sampleRateHz)
    let shelfDamping = shelfTangent / 0.707_175_236_955_419_6
    let high = realtime_pow(10, 3.999_843_853_973_347 / 20)
    let band = realtime_pow(high, 0.499_666_774_154_541_6)
    let square = shelfTangent * shelfTangent
    let norm = 1 + shelfDamping + square
    shelf = FilterCoefficients(
      b0: (high + band * shelfDamping + square) / norm, b1: 2 * (square - high) / norm,
      b2: (high - band * shelfDamping + square) / norm, a1: 2 * (square - 1) / norm,
      a2: (1 - shelfDamping + square) / norm)
    let lowTangent = Self.tangent(38.135_470_876_024_44, sampleRateHz)
    let lowDamping = lowTangent / 0.500_327_037_323_877_3
    let lowSquare = lowTangent * lowTangent
    let lowNorm = 1 + lowDamping + lowSquare
    // The standard does not normalise this numerator.
    highPass = FilterCoefficients(
      b0: 1, b1: -2, b2: 1, a1: 2 * (lowSquare - 1) / lowNorm,
      a2: (1 - lowDamping + lowSquare) / lowNorm)
  }

  private static func tangent(_ frequencyHz: Double, _ sampleRateHz: Double) -> Double {
    realtime_tan(Double.pi * min(frequencyHz / sampleRateHz, 0.45))
  }

  @_noLocks
  mutating func clear() {
    shelfState = FilterState()
    highPassState = FilterState()
  }

  /// One frame of both channels, weighted.
  @_noLocks
  @inline(__always)
  mutating func next(_ frame: SIMD2<Double>) -> SIMD2<Double> {
    highPass.step(shelf.step(frame, &shelfState), &highPassState)
  }
}
