// RandomGenerator.swift: reproducible white noise. SPDX-License-Identifier: MIT

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) with a period of 2^64.
public struct RandomGenerator {
  private var state: UInt64

  /// - Parameter seed: any number; the same seed gives the same numbers.
  @_noLocks
  @inline(__always)
  public init(seed: UInt64) { state = seed }

  /// Returns the next number, uniformly distributed from -1 to just below 1, in steps of 2^-23.
  @_noLocks
  @inline(__always)
  public mutating func next() -> Float {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    word ^= word >> 31
    return Float(Int32(truncatingIfNeeded: word >> 40) - 0x80_0000) * 0x1p-23
  }
}
