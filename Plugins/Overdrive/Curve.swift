// Curve.swift: what bends the signal. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The curve x / sqrt(1 + x²) with a bias, averaged over the way from each stereo frame to the next.
struct Curve {
  // The two channels, and in the others the bias alone: what silence becomes.
  private var value: SIMD4<Float>
  private var root: SIMD4<Float>

  /// At rest on a bias.
  @_noLocks
  init(bias: Float = 0) {
    value = SIMD4(repeating: bias)
    root = realtime_sqrt4(1 + value * value)
  }

  /// Bends one frame; silence stays silence, bit for bit.
  @_noLocks
  @inline(__always)
  mutating func next(_ frame: SIMD2<Float>, bias: Float) -> SIMD2<Float> {
    let newValue = SIMD4(lowHalf: frame, highHalf: .zero) + bias
    let newRoot = realtime_sqrt4(1 + newValue * newValue)
    let mean = (newValue + value) / (newRoot + root)
    (value, root) = (newValue, newRoot)
    return mean.lowHalf - mean.highHalf
  }
}
