// Float4x4.swift: four vectors of four, as rows of a square. SPDX-License-Identifier: MIT

/// A 4x4 matrix of floats: four frames of four lines, or four neighbours of four frames.
public struct Float4x4 {
  /// The rows, from the first.
  public var a, b, c, d: SIMD4<Float>

  /// Creates a matrix from its rows.
  @_noLocks
  @inline(__always)
  public init(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>
  ) {
    (self.a, self.b, self.c, self.d) = (a, b, c, d)
  }

  /// Creates a matrix from sixteen values, row by row.
  @_noLocks
  @inline(__always)
  public init(_ lanes: SIMD16<Float>) {
    let (low, high) = (lanes.lowHalf, lanes.highHalf)
    self.init(low.lowHalf, low.highHalf, high.lowHalf, high.highHalf)
  }

  /// All rows in sequence.
  public var lanes: SIMD16<Float> {
    @_noLocks @inline(__always)
    get {
      SIMD16(
        lowHalf: SIMD8(lowHalf: a, highHalf: b), highHalf: SIMD8(lowHalf: c, highHalf: d))
    }
  }

  /// Returns the transposed matrix.
  @_noLocks
  @inline(__always)
  public func transposed() -> Float4x4 {
    // Swaps halves of rows, then every other lane: eight shuffle instructions.
    let low = SIMD8(
      lowHalf: .init(lowHalf: a.lowHalf, highHalf: b.lowHalf),
      highHalf: .init(lowHalf: c.lowHalf, highHalf: d.lowHalf))
    let high = SIMD8(
      lowHalf: .init(lowHalf: a.highHalf, highHalf: b.highHalf),
      highHalf: .init(lowHalf: c.highHalf, highHalf: d.highHalf))
    return Float4x4(low.evenHalf, low.oddHalf, high.evenHalf, high.oddHalf)
  }

  /// The Hadamard matrix of four rows, not scaled: each lane's energy grows fourfold.
  @_noLocks
  @inline(__always)
  public func mixed() -> Float4x4 {
    let (sum, difference) = (a + b, a - b)
    let (otherSum, otherDifference) = (c + d, c - d)
    return Float4x4(
      sum + otherSum, difference + otherDifference, sum - otherSum, difference - otherDifference)
  }
}
