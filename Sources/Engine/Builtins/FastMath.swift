// FastMath.swift: fast functions for the real-time code of feedback suppression.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// Fast approximations of mathematical functions.
enum FastMath {
  /// Decibels of a power; -180 for 0.
  ///
  /// Within 0.000 2 dB: the base-2 logarithm of the mantissa is a
  /// polynomial that meets it at both ends and is least-squares fitted between.
  @_noLocks
  static func decibels(power: Float) -> Float {
    // A comparison with NaN is false.
    guard power > 1e-18 else { return -180 }
    let bits = power.bitPattern
    let exponent = Float(Int32(truncatingIfNeeded: bits >> 23) &- 127)
    let x = Float(bitPattern: bits & 0x7f_ffff | 0x3f80_0000) - 1
    let bend = 0.442_250 + x * (-0.268_875 + x * (0.150_254 - 0.045_296 * x))
    let logarithm = exponent + x + x * (1 - x) * bend
    return 3.010_3 * logarithm
  }

  /// The linear gain of decibels, for settings and not for samples: a power of ten by squaring.
  @_noLocks
  static func gain(decibels: Float) -> Float {
    // exp(x) = (1 + x / 1024) ^ 1024, within 0.1 % in the range of 40 dB that is used here.
    var value = 1 + decibels * (0.115_129_255 / 1_024)
    for _ in 0 ..< 10 { value *= value }
    return value
  }
}
