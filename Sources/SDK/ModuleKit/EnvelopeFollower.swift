// EnvelopeFollower.swift: peaks held, released and smoothed. SPDX-License-Identifier: MIT

import ModuleABI

/// The smooth decoupled peak detector.
///
/// From D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design: A
/// Tutorial and Analysis", J. Audio Eng. Soc. 60 (6), 2012, equation 17.
///
/// A value that rises is followed with the attack's time constant alone; one that falls with the
/// release's, then the attack's. There is no corner between the two, so a gain derived from it has
/// none either. Time constants are the time in which 1 - 1/e (63 %) of a jump is covered.
///
/// The two values are doubles: a release of seconds moves by less than a float can hold.
public struct EnvelopeFollower {
  private var held = 0.0
  private var smooth = 0.0

  /// Rests at 0.
  @_noLocks @inline(__always)
  public init() {}

  /// The coefficient that belongs to a time constant: what remains of a distance after one frame.
  ///
  /// - Parameters:
  ///   - timeConstantSeconds: 0 gives 0, which follows at once.
  ///   - sampleRateHz: above 0.
  /// - Returns: 0 to 1.
  @_noLocks
  public static func coefficient(timeConstantSeconds: Double, sampleRateHz: Double) -> Double {
    timeConstantSeconds > 0 ? realtime_exp(-1 / (timeConstantSeconds * sampleRateHz)) : 0
  }

  /// Follows one value, 0 or more, and returns the envelope.
  ///
  /// What falls below a millionth becomes 0, so that silence never creeps through denormals.
  @_noLocks @inline(__always)
  public mutating func follow(_ value: Float, attack: Double, release: Double) -> Float {
    let value = Double(value)
    let released = value + release * (held - value)
    // As `max`, which takes three instructions here for one.
    let peak = released > value ? released : value
    let next = peak + attack * (smooth - peak)
    held = peak > 1e-6 ? peak : 0
    smooth = next > 1e-6 ? next : 0
    return Float(smooth)
  }

  /// Follows four values, one after another.
  @_noLocks @inline(__always)
  public mutating func follow(
    _ values: SIMD4<Float>, attack: Double, release: Double
  ) -> SIMD4<Float> {
    let first = follow(values[0], attack: attack, release: release)
    let second = follow(values[1], attack: attack, release: release)
    let third = follow(values[2], attack: attack, release: release)
    return SIMD4(first, second, third, follow(values[3], attack: attack, release: release))
  }
}
