// OnePole.swift: coefficients of first-order filters. SPDX-License-Identifier: MIT

import ModuleABI

/// What a filter `y += share * (x - y)` needs to know.
public enum OnePole {
  /// The share of the distance that a low-pass covers in a frame. [any]
  ///
  /// - Parameters:
  ///   - cutoffHz: where 3 dB are gone, well below half the rate; taken as at most 0.49 of the rate.
  ///   - sampleRateHz: above 0.
  /// - Returns: 0 to 1.
  @_noLocks
  public static func share(cutoffHz: Double, sampleRateHz: Double) -> Float {
    let cutoff = min(cutoffHz, 0.49 * sampleRateHz)
    return Float(1 - realtime_exp(-2 * Double.pi * cutoff / sampleRateHz))
  }
}
