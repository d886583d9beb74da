// SampleGuard.swift: protection of feedback loops. SPDX-License-Identifier: MIT

/// Functions that keep a filter or loop state finite, free of denormals and able to recover from NaN and
/// infinity.
public enum SampleGuard {
  private static let minimum: Float = 1e-15  // -300 dB
  private static let maximum: Float = 1e15
  private static let loudest: Float = 1e6  // 120 dB

  /// Returns the sample, or 0 if it is inaudibly small, too large, NaN or infinite. [render]
  @_noLocks
  @inline(__always)
  public static func flushed(_ sample: Float) -> Float {
    let size = abs(sample)
    return size >= minimum && size <= maximum ? sample : 0
  }

  /// Returns the guarded samples of two channels. [render]
  @_noLocks
  @inline(__always)
  public static func flushed(_ frame: SIMD2<Float>) -> SIMD2<Float> {
    let size = frame.replacing(with: -frame, where: frame .< 0)
    return SIMD2<Float>.zero.replacing(with: frame, where: (size .>= minimum) .& (size .<= maximum))
  }

  /// Returns four guarded samples. [render]
  @_noLocks
  @inline(__always)
  public static func flushed(_ lanes: SIMD4<Float>) -> SIMD4<Float> {
    let size = UnalignedSIMD.magnitude(lanes)
    return SIMD4<Float>.zero.replacing(with: lanes, where: (size .>= minimum) .& (size .<= maximum))
  }

  /// Returns the sample, unchanged up to 1 and limited smoothly towards 2, to prevent runaway loops. [render]
  @_noLocks
  @inline(__always)
  public static func softLimited(_ sample: Float) -> Float {
    let over = abs(sample) - 1
    guard over > 0 else { return sample }
    let limited = 2 - 1 / (1 + over)
    return sample < 0 ? -limited : limited
  }

  /// Returns four samples, unchanged up to 0.5 and limited smoothly towards 1. [render]
  @_noLocks
  @inline(__always)
  public static func halfLimited(_ samples: SIMD4<Float>) -> SIMD4<Float> {
    let size = UnalignedSIMD.magnitude(samples)
    // (1 - 0.25 / size) with the sign of the sample.
    let limited = samples * (1 / size - 0.25 / (size * size))
    return samples.replacing(with: limited, where: size .> 0.5)
  }

  /// Returns two samples, limited in the same way. [render]
  @_noLocks
  @inline(__always)
  public static func halfLimited(_ frame: SIMD2<Float>) -> SIMD2<Float> {
    let size = frame.replacing(with: -frame, where: frame .< 0)
    let limited = frame * (1 / size - 0.25 / (size * size))
    return frame.replacing(with: limited, where: size .> 0.5)
  }

  /// Returns an input sample, or 0 if it is NaN, infinite or far too large.
  ///
  /// Use it before a filter state. [render]
  @_noLocks
  @inline(__always)
  public static func sanitizedInput(_ sample: Float) -> Float {
    abs(sample) <= loudest ? sample : 0
  }
}
