// SaturationCurve.swift: saturation with reduced aliasing. SPDX-License-Identifier: MIT

import ModuleABI

/// The curve x / sqrt(1 + x²) with a bias, averaged between each stereo frame and the next.
///
/// The average is the difference of the antiderivative divided by the distance (S. Bilbao, F.
/// Esqueda, J. D. Parker and V. Välimäki, Antiderivative Antialiasing for Memoryless
/// Nonlinearities, IEEE Signal Process. Lett. 24 (7), 2017). The antiderivative of this curve is
/// r(x) = sqrt(1 + x²), and the difference quotient is (x1 + x0) / (r(x1) + r(x0)), so no small
/// number is divided by a small number.
public struct SaturationCurve {
  // Two lanes are the channels; the others hold the bias, the output for silence.
  private var value: SIMD4<Float>
  private var root: SIMD4<Float>

  /// Creates a curve at rest with a bias.
  @_noLocks
  public init(bias: Float = 0) {
    value = SIMD4(repeating: bias)
    root = realtime_sqrt4(1 + value * value)
  }

  /// Returns the saturated frame.
  ///
  /// Silence stays exactly 0.
  @_noLocks
  @inline(__always)
  public mutating func next(_ frame: SIMD2<Float>, bias: Float) -> SIMD2<Float> {
    let newValue = SIMD4(lowHalf: frame, highHalf: .zero) + bias
    let newRoot = realtime_sqrt4(1 + newValue * newValue)
    let mean = (newValue + value) / (newRoot + root)
    (value, root) = (newValue, newRoot)
    return mean.lowHalf - mean.highHalf
  }
}
