// Vector.swift: four samples of a row at once. SPDX-License-Identifier: MIT

/// Loads and stores of four neighbours, wherever they begin.
public enum Vector {
  /// Four samples from a row on.
  @_noLocks
  @inline(__always)
  public static func load(_ row: UnsafePointer<Float>) -> SIMD4<Float> {
    UnsafeRawPointer(row).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Writes four samples from a row on.
  @_noLocks
  @inline(__always)
  public static func store(_ vector: SIMD4<Float>, _ row: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(row).storeBytes(of: vector, as: SIMD4<Float>.self)
  }

  /// The sum of the lanes, in pairs.
  @_noLocks
  @inline(__always)
  public static func sum(_ vector: SIMD4<Float>) -> Float {
    (vector.x + vector.z) + (vector.y + vector.w)
  }
}
