// Pan.swift: the gains of both sides for a pan position. SPDX-License-Identifier: MIT

import ModuleABI

/// The pan laws, numbered as in the manifest, by the gain at the centre.
enum PanLaw: Int {
  case minus3
  case minus4
  case minus6
  case full

  /// Returns the gains of both sides.
  ///
  /// - Parameter pan: the position, -1, left, to 1, right.
  /// - Returns: linear, 0 to 1.
  @_noLocks
  func gains(_ pan: Float) -> SIMD2<Float> {
    let right = (Double(pan) + 1) * 0.5
    let left = 1 - right
    let angle = right * Double.pi / 2
    // The ends are exactly 0 and 1, which a cosine is not.
    let (cosine, sine) = (
      pan >= 1 ? 0 : realtime_cos(angle), pan <= -1 ? 0 : realtime_sin(angle)
    )
    switch self {
    case .minus3: return SIMD2(Float(cosine), Float(sine))
    case .minus4:
      return SIMD2(Float(realtime_sqrt(cosine * left)), Float(realtime_sqrt(sine * right)))
    case .minus6: return SIMD2(Float(left), Float(right))
    case .full: return SIMD2(Float(min(1, 2 * left)), Float(min(1, 2 * right)))
    }
  }
}
