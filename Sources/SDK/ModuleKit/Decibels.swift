// Decibels.swift: conversion between amplitude and decibels. SPDX-License-Identifier: MIT

import ModuleABI

/// Conversions between linear amplitude and decibels (20 dB for a factor of ten).
///
/// Use `fast...` once per frame: a few multiplications, no call, no trap for any input. Use the others once
/// per block if full precision matters.
public enum Decibels {
  private static let decibelsPerOctave: Float = 6.020_599_9
  private static let octavesPerDecibel: Float = 0.166_096_4

  /// Returns the level of an amplitude in dB, within 0.000 03 dB from -120 to 40 dB. [any]
  ///
  /// The mantissa, within half an octave around 1, uses the series of the inverse hyperbolic
  /// tangent up to the seventh power (truncation error: 4e-8 octaves); the remaining error is
  /// rounding. Zero, subnormal and negative amplitudes give a value below -750 dB or an arbitrary
  /// one, never a trap.
  ///
  /// - Parameter amplitude: linear, above 0.
  /// - Returns: dB relative to an amplitude of 1.
  @_noLocks @inline(__always)
  public static func fastDecibels(_ amplitude: Float) -> Float {
    let bits = Int32(bitPattern: amplitude.bitPattern)
    let exponent = (bits &- 0x3f35_04f3) >> 23
    let mantissa = Float(bitPattern: UInt32(bitPattern: bits &- (exponent << 23)))
    let t = (mantissa - 1) / (mantissa + 1)
    let t2 = t * t
    let series = 2.885_390_1 + t2 * (0.961_796_7 + t2 * (0.577_078 + t2 * 0.412_198_6))
    return (Float(exponent) + t * series) * decibelsPerOctave
  }

  /// Returns the amplitude of a level in dB, within 5 millionths (0.000 05 dB) from -120 to 40 dB;
  /// exactly 1 for 0 dB. [any]
  ///
  /// A power of two comes from the exponent, the rest from the Taylor series of `2^x` up to the
  /// sixth power over half an octave on either side (truncation error: 1.2e-7). The level is
  /// clamped to -750 to 750 dB.
  ///
  /// - Parameter decibels: any value; NaN counts as the lowest.
  /// - Returns: linear, above 0.
  @_noLocks @inline(__always)
  public static func fastAmplitude(_ decibels: Float) -> Float {
    let octaves = decibels * octavesPerDecibel
    let bounded = octaves > -125 ? (octaves < 125 ? octaves : 125) : -125
    // Adding 1.5 * 2^23 leaves the nearest whole number in the lowest bits.
    let shifted = bounded + 12_582_912
    let whole = Int32(bitPattern: shifted.bitPattern) &- 0x4b40_0000
    let x = bounded - (shifted - 12_582_912)
    let high = 0.009_618_129 + x * (0.001_333_355_8 + x * 0.000_154_035_3)
    let power = 1 + x * (0.693_147_2 + x * (0.240_226_5 + x * (0.055_504_11 + x * high)))
    return power * Float(bitPattern: UInt32(bitPattern: (whole &+ 127) << 23))
  }

  /// Returns `fastDecibels` of four amplitudes, with exactly the same results. [any]
  @_noLocks @inline(__always)
  public static func fastDecibels(_ amplitudes: SIMD4<Float>) -> SIMD4<Float> {
    let bits = unsafeBitCast(amplitudes, to: SIMD4<Int32>.self)
    let exponent = (bits &- 0x3f35_04f3) &>> 23
    let mantissa = unsafeBitCast(bits &- (exponent &<< 23), to: SIMD4<Float>.self)
    let t = (mantissa - 1) / (mantissa + 1)
    let t2 = t * t
    let series = 2.885_390_1 + t2 * (0.961_796_7 + t2 * (0.577_078 + t2 * 0.412_198_6))
    return (SIMD4<Float>(exponent) + t * series) * decibelsPerOctave
  }

  /// Returns `fastAmplitude` of four levels, with exactly the same results. [any]
  @_noLocks @inline(__always)
  public static func fastAmplitude(_ decibels: SIMD4<Float>) -> SIMD4<Float> {
    let octaves = decibels * octavesPerDecibel
    let low = SIMD4<Float>(repeating: -125).replacing(with: octaves, where: octaves .> -125)
    let bounded = low.replacing(with: SIMD4(repeating: 125), where: low .>= 125)
    let shifted = bounded + 12_582_912
    let whole = unsafeBitCast(shifted, to: SIMD4<Int32>.self) &- 0x4b40_0000
    let x = bounded - (shifted - 12_582_912)
    let high = 0.009_618_129 + x * (0.001_333_355_8 + x * 0.000_154_035_3)
    let power = 1 + x * (0.693_147_2 + x * (0.240_226_5 + x * (0.055_504_11 + x * high)))
    return power * unsafeBitCast((whole &+ 127) &<< 23, to: SIMD4<Float>.self)
  }

  /// Returns the amplitude of a level in dB with the precision of a float; exactly 1 for 0 dB.
  /// [any]
  ///
  /// - Parameter decibels: finite.
  /// - Returns: linear.
  @_noLocks
  public static func amplitude(_ decibels: Float) -> Float {
    Float(realtime_pow(10, Double(decibels) / 20))
  }
}
