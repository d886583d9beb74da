// ResonanceLevel.swift: loudness compensation for feedback. SPDX-License-Identifier: MIT

import ModuleABI

/// The level of a dry signal plus a feedback loop around an all-pass (a delay or phase shifters).
///
/// With A for the all-pass and g for the feedback, the wet signal is (1 + g) A / (1 - g A). Where A is -1, equal
/// gains of both cancel, whatever the feedback. Over all phases of A the power of d + w (1 + g) A / (1 - g A) is
/// d^2 + w^2 (1 + g) / (1 - g) on average.
public enum ResonanceLevel {
  /// Returns the factor for both signals that keeps the mean power of the input. [any]
  ///
  /// - Parameters:
  ///   - gains: the gains of the dry and the wet signal.
  ///   - feedback: between -1 and 1, both excluded.
  /// - Returns: linear.
  @_noLocks
  public static func factor(gains: SIMD2<Float>, feedback: Float) -> Float {
    let wet = Double(gains.y) * Double(gains.y) * Double((1 + feedback) / (1 - feedback))
    return Float(1 / realtime_sqrt(Double(gains.x) * Double(gains.x) + wet))
  }
}
