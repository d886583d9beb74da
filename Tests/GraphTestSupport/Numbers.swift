// Numbers.swift: repeatable random numbers. SPDX-License-Identifier: MIT

/// Random numbers that are the same in every run: Knuth's linear congruential generator.
package struct Numbers {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// The next number, from 0 to below `bound`, which is at most 2 to the 31st.
  package mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}
