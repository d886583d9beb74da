// Weighting.swift: the energy of a response in the band of speech and music. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// Adds up the energy of a response in the band in which speech and music have most of theirs: the difference
/// of two one-pole low-passes, at 800 and 100 Hz.
///
/// With this weighting, a response without high frequencies does not count as quiet.
struct WeightedEnergy {
  /// The energy so far, relative to that of a single frame of 1.
  private(set) var energy = 0.0
  private var wide = 0.0
  private var low = 0.0

  /// Adds the next frame of the response.
  @_noLocks @inline(__always)
  mutating func add(_ sample: Double, _ coefficients: WeightingCoefficients) {
    wide += (sample - wide) * coefficients.wide
    low += (sample - low) * coefficients.low
    let band = wide - low
    energy += band * band * coefficients.scale
  }
}

/// The coefficients of the weighting at a sample rate.
struct WeightingCoefficients {
  let wide: Double
  let low: Double
  let scale: Double  // the reciprocal of a single frame's energy

  /// - Parameter sampleRateHz: above 0. [main]
  init(sampleRateHz: Double) {
    wide = Double(OnePole.coefficient(cutoffHz: 800, sampleRateHz: sampleRateHz))
    low = Double(OnePole.coefficient(cutoffHz: 100, sampleRateHz: sampleRateHz))
    let both = 2 * wide * low / (wide + low - wide * low)
    scale = 1 / (wide / (2 - wide) + low / (2 - low) - both)
  }
}
