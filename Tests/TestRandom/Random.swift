// Random.swift: repeatable random numbers. SPDX-License-Identifier: MIT

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers every time.
package struct Random: RandomNumberGenerator {
  private var state: UInt64

  /// Numbers that depend on the seed alone.
  package init(seed: UInt64) { state = seed }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
