// SampleGuard.swift: what feedback may remember. SPDX-License-Identifier: MIT

/// A filter or a loop whose memory goes through here ends in silence, not in denormals, and recovers from
/// infinities and what is not a number.
public enum SampleGuard {
  private static let least: Float = 1e-15  // -300 dB
  private static let most: Float = 1e15
  private static let loudest: Float = 1e6  // 120 dB

  /// The sample, or 0 if it is too small to be heard, far too large, or no number. [render]
  @_noLocks
  @inline(__always)
  public static func kept(_ sample: Float) -> Float {
    let size = abs(sample)
    return size >= least && size <= most ? sample : 0
  }

  /// The same of two channels. [render]
  @_noLocks
  @inline(__always)
  public static func kept(_ frame: SIMD2<Float>) -> SIMD2<Float> {
    let size = frame.replacing(with: -frame, where: frame .< 0)
    return SIMD2<Float>.zero.replacing(with: frame, where: (size .>= least) .& (size .<= most))
  }

  /// The same of four. [render]
  @_noLocks
  @inline(__always)
  public static func kept(_ lanes: SIMD4<Float>) -> SIMD4<Float> {
    let size = UnalignedSIMD.magnitude(lanes)
    return SIMD4<Float>.zero.replacing(with: lanes, where: (size .>= least) .& (size .<= most))
  }

  /// The identity up to 1, bending smoothly towards 2: what keeps a loop from running away. [render]
  @_noLocks
  @inline(__always)
  public static func softLimited(_ sample: Float) -> Float {
    let over = abs(sample) - 1
    guard over > 0 else { return sample }
    let bent = 2 - 1 / (1 + over)
    return sample < 0 ? -bent : bent
  }

  /// The identity up to 0.5, bending smoothly towards 1, of four samples. [render]
  @_noLocks
  @inline(__always)
  public static func halfLimited(_ samples: SIMD4<Float>) -> SIMD4<Float> {
    let size = UnalignedSIMD.magnitude(samples)
    // (1 - 0.25 / size) with the sign of the sample.
    let bent = samples * (1 / size - 0.25 / (size * size))
    return samples.replacing(with: bent, where: size .> 0.5)
  }

  /// The same of two. [render]
  @_noLocks
  @inline(__always)
  public static func halfLimited(_ frame: SIMD2<Float>) -> SIMD2<Float> {
    let size = frame.replacing(with: -frame, where: frame .< 0)
    let bent = frame * (1 / size - 0.25 / (size * size))
    return frame.replacing(with: bent, where: size .> 0.5)
  }

  /// The sample, or 0 if it is no number or so loud that it must be a fault, before it enters what remembers. [render]
  @_noLocks
  @inline(__always)
  public static func entering(_ sample: Float) -> Float { abs(sample) <= loudest ? sample : 0 }
}
