// Random.swift: repeatable random numbers. SPDX-License-Identifier: MIT

/// SplitMix64.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// One of these lines, slightly damaged.
  mutating func mutated(_ lines: [[UInt8]]) -> [UInt8] {
    var line = lines.randomElement(using: &self) ?? []
    for _ in 0 ..< Int.random(in: 1 ... 3, using: &self) where !line.isEmpty {
      let place = Int.random(in: 0 ..< line.count, using: &self)
      switch Int.random(in: 0 ..< 6, using: &self) {
      case 0: line[place] = UInt8.random(in: 0 ... 255, using: &self)
      case 1: line.remove(at: place)
      case 2: line.insert(contentsOf: Array("\"{}[],:0-9e".utf8).shuffled(using: &self), at: place)
      case 3: line.removeSubrange(place...)
      case 4:
        let other = lines.randomElement(using: &self) ?? []
        line = Array(line[..<place] + other[min(place, other.count)...])
      default: line.insert(line[place], at: place)
      }
    }
    return line.filter { $0 != 0x0a }
  }
}
