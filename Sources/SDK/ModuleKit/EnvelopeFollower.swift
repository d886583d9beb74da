// EnvelopeFollower.swift: a peak detector with attack and release. SPDX-License-Identifier: MIT

import ModuleABI

/// The smooth decoupled peak detector.
///
/// From D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design: A
/// Tutorial and Analysis", J. Audio Eng. Soc. 60 (6), 2012, equation 17.
///
/// A rising value uses only the attack time constant. A falling value uses that of the release,
/// then that of the attack. The transition has no corner, so a gain derived from the envelope has
/// none. A time constant is the time in which 1 - 1/e (63 %) of a jump is covered.
///
/// Both values are doubles, because a float cannot represent the small steps of a release of
/// seconds.
public struct EnvelopeFollower {
  private var heldLevel = 0.0
  private var smooth = 0.0

  /// Creates a follower at 0.
  @_noLocks @inline(__always)
  public init() {}

  /// Returns the coefficient for a time constant: the remaining distance after one frame.
  ///
  /// - Parameters:
  ///   - timeConstantSeconds: 0 gives 0, which follows at once.
  ///   - sampleRateHz: above 0.
  /// - Returns: 0 to 1.
  @_noLocks
  public static func coefficient(timeConstantSeconds: Double, sampleRateHz: Double) -> Double {
    timeConstantSeconds > 0 ? realtime_exp(-1 / (timeConstantSeconds * sampleRateHz)) : 0
  }

  /// Advances with one value, 0 or more, and returns the envelope.
  ///
  /// Values below a millionth become 0, to avoid denormals.
  @_noLocks @inline(__always)
  public mutating func follow(_ value: Float, attack: Double, release: Double) -> Float {
    let value = Double(value)
    let released = value + release * (heldLevel - value)
    // Same as `max`, with one instruction instead of three.
    let peak = released > value ? released : value
    let next = peak + attack * (smooth - peak)
    heldLevel = peak > 1e-6 ? peak : 0
    smooth = next > 1e-6 ? next : 0
    return Float(smooth)
  }

  /// Advances with four values in sequence.
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
