// Sine.swift: a sine without libm. SPDX-License-Identifier: MIT

/// The sine of a phase in turns, fast enough for one call per frame.
public enum Sine {
  /// The sine of `turns`, 0 to 1, to within 7e-10: its Taylor series up to the 13th power, after
  /// folding into the quarter turn on either side of 0.
  @_noLocks
  @inline(__always)
  public static func ofTurns(_ turns: Double) -> Double {
    var folded = turns > 0.5 ? turns - 1 : turns
    if folded > 0.25 { folded = 0.5 - folded }
    if folded < -0.25 { folded = -0.5 - folded }
    let x = folded * 6.283185307179586
    let square = x * x
    var sum = 1.0 / 6_227_020_800
    sum = sum * square - 1.0 / 39_916_800
    sum = sum * square + 1.0 / 362_880
    sum = sum * square - 1.0 / 5_040
    sum = sum * square + 1.0 / 120
    sum = sum * square - 1.0 / 6
    return x + x * square * sum
  }

  /// Returns two sines for little more than the cost of one, with exactly the same results.
  @_noLocks
  @inline(__always)
  public static func ofTurns(_ turns: SIMD2<Double>) -> SIMD2<Double> {
    var folded = turns.replacing(with: turns - 1, where: turns .> 0.5)
    folded.replace(with: 0.5 - folded, where: folded .> 0.25)
    folded.replace(with: -0.5 - folded, where: folded .< -0.25)
    let x = folded * 6.283185307179586
    let square = x * x
    var sum = SIMD2<Double>(repeating: 1.0 / 6_227_020_800)
    sum = sum * square - 1.0 / 39_916_800
    sum = sum * square + 1.0 / 362_880
    sum = sum * square - 1.0 / 5_040
    sum = sum * square + 1.0 / 120
    sum = sum * square - 1.0 / 6
    return x + x * square * sum
  }
}
