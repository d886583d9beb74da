// UnalignedSIMD.swift: unaligned loads and stores of four samples. SPDX-License-Identifier: MIT

/// Unaligned loads and stores of four neighbouring samples.
public enum UnalignedSIMD {
  /// Reads four samples.
  @_noLocks
  @inline(__always)
  public static func load(_ row: UnsafePointer<Float>) -> SIMD4<Float> {
    UnsafeRawPointer(row).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Writes four samples.
  @_noLocks
  @inline(__always)
  public static func store(_ vector: SIMD4<Float>, _ row: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(row).storeBytes(of: vector, as: SIMD4<Float>.self)
  }

  /// Reads the first `count` samples, 1 to 4; the other lanes are 0.
  @_noLocks
  @inline(__always)
  public static func load(_ row: UnsafePointer<Float>, count: Int) -> SIMD4<Float> {
    if count == 4 { return load(row) }
    return SIMD4(row[0], count > 1 ? row[1] : 0, count > 2 ? row[2] : 0, 0)
  }

  /// Writes the first `count` lanes, 1 to 4.
  @_noLocks
  @inline(__always)
  public static func store(
    _ vector: SIMD4<Float>, _ row: UnsafeMutablePointer<Float>, count: Int
  ) {
    if count == 4 { return store(vector, row) }
    row[0] = vector.x
    if count > 1 { row[1] = vector.y }
    if count > 2 { row[2] = vector.z }
  }

  /// Returns the absolute values.
  @_noLocks
  @inline(__always)
  public static func magnitude(_ vector: SIMD4<Float>) -> SIMD4<Float> {
    let bits = unsafeBitCast(vector, to: SIMD4<UInt32>.self) & 0x7fff_ffff
    return unsafeBitCast(bits, to: SIMD4<Float>.self)
  }

  /// Returns the sum of the lanes, added in pairs.
  @_noLocks
  @inline(__always)
  public static func sum(_ vector: SIMD4<Float>) -> Float {
    (vector.x + vector.z) + (vector.y + vector.w)
  }
}
