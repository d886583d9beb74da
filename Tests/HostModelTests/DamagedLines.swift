// DamagedLines.swift: lines that are slightly damaged, for tests with random input. SPDX-License-Identifier: MIT

import TestRandom

extension Random {
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
