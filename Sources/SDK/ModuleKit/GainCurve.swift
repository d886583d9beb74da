// GainCurve.swift: the gain curve of a compressor. SPDX-License-Identifier: MIT

/// The static curve of a compressor with a soft knee.
///
/// From D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design: A
/// Tutorial and Analysis", J. Audio Eng. Soc. 60 (6), 2012, equation 4: no reduction below the
/// threshold, a straight line above it, and a parabola within the knee.
public enum GainCurve {
  /// Returns the reduction of a level in dB, 0 or more. [render]
  ///
  /// - Parameters:
  ///   - over: dB above the threshold.
  ///   - slope: dB of reduction for each dB above the threshold, `1 - 1 / ratio`.
  ///   - halfKnee: dB on either side of the threshold; 0 becomes a very small knee.
  /// - Returns: dB.
  @_noLocks @inline(__always)
  public static func reduction(over: Float, slope: Float, halfKnee: Float) -> Float {
    // No branch, because audio crosses the threshold at random.
    let half = max(halfKnee, 1e-6)
    let inside = min(max(over + half, 0), 2 * half)
    return slope * (inside * inside / (4 * half) + max(over - half, 0))
  }

  /// Returns the reductions of four levels, with exactly the same results. [render]
  @_noLocks @inline(__always)
  public static func reduction(
    over: SIMD4<Float>, slope: Float, halfKnee: Float
  ) -> SIMD4<Float> {
    let half = max(halfKnee, 1e-6)
    let (below, above) = (over + half, over - half)
    let rising = below.replacing(with: 0, where: below .<= 0)
    let inside = rising.replacing(with: 2 * half, where: rising .>= 2 * half)
    let beyond = above.replacing(with: 0, where: above .<= 0)
    return slope * (inside * inside / (4 * half) + beyond)
  }
}
