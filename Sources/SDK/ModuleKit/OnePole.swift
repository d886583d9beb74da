// OnePole.swift: coefficients of first-order filters. SPDX-License-Identifier: MIT

import ModuleABI

/// Coefficients for a filter `y += coefficient * (x - y)`.
public enum OnePole {
  /// Returns the coefficient of a low-pass: the fraction of the distance covered in a frame. [any]
  ///
  /// - Parameters:
  ///   - cutoffHz: the -3 dB frequency, well below half the rate; clamped to 0.49 of the rate.
  ///   - sampleRateHz: above 0.
  /// - Returns: 0 to 1.
  @_noLocks
  public static func coefficient(cutoffHz: Double, sampleRateHz: Double) -> Float {
    let cutoff = min(cutoffHz, 0.49 * sampleRateHz)
    return Float(1 - realtime_exp(-2 * Double.pi * cutoff / sampleRateHz))
  }
}
