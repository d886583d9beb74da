// FineValue.swift: a value of 14 bits in two messages. SPDX-License-Identifier: MIT

/// Assembles the high and low bits of a control.
///
/// The high bits count at once, the low bits refine them. A control that never sends low bits has 7 bits.
struct FineValue {
  /// Both parts that arrive within this time belong together, in ns.
  static let pairNanoseconds: UInt64 = 5_000_000
  static let maximum = 16_383.0

  private var high: Int?
  private var low = 0
  private var hasLow = false
  private var highTime: UInt64 = 0
  /// When low bits arrived ahead of their high bits; nil if none did.
  private var earlyLowTime: UInt64?

  /// Returns the position, 0 to 1, after the high bits arrived.
  mutating func receive(high value: Int, at time: UInt64) -> Double {
    let old = high
    (high, highTime) = (value, time)
    if let early = earlyLowTime.take(), time &- early <= Self.pairNanoseconds {
      return Double(value << 7 | low) / Self.maximum
    }
    guard hasLow else { return Double(value) / 127 }
    // The next low bits most probably continue the movement.
    if let old, old != value { low = value > old ? 0 : 127 }
    return Double(value << 7 | low) / Self.maximum
  }

  /// Returns the position, 0 to 1, after the low bits arrived; nil before the first high bits.
  mutating func receive(low value: Int, at time: UInt64) -> Double? {
    (low, hasLow) = (value, true)
    guard let high, time &- highTime <= Self.pairNanoseconds else {
      earlyLowTime = time
      return high.map { Double($0 << 7 | value) / Self.maximum }
    }
    return Double(high << 7 | value) / Self.maximum
  }
}
