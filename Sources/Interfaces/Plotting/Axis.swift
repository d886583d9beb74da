// Axis.swift: axis scales and their labels. SPDX-License-Identifier: MIT

import Glibc

/// A scale between two positions.
struct Axis {
  private let low: Double
  private let high: Double
  private let start: Double
  private let end: Double
  private let isLogarithmic: Bool

  /// Creates a scale from `low` to `high` between two positions; frequencies use a logarithmic scale.
  init(
    _ low: Double, _ high: Double, from start: Double, to end: Double, isLogarithmic: Bool = false
  ) {
    (self.low, self.high, self.start, self.end) = (low, high, start, end)
    self.isLogarithmic = isLogarithmic
  }

  /// Returns the position of a value, clamped to the ends.
  func position(_ value: Double) -> Double {
    let fraction =
      isLogarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low)
    return start + (end - start) * min(1, max(0, fraction.isNaN ? 0 : fraction))
  }

  /// Returns at most twelve times for a grid, at round steps.
  static func times(_ seconds: Double) -> (step: Double, marks: [Double]) {
    let steps = [
      0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
      900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
    ]
    let step = steps.first { seconds / $0 <= 12 } ?? (seconds / 12 / 86_400).rounded(.up) * 86_400
    return (step, stride(from: 0, through: seconds, by: step).map { $0 })
  }

  /// Returns a time as text, with the precision of the steps.
  static func text(_ seconds: Double, step: Double) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    if step < 1 {
      let places = step < 0.01 ? 3 : step < 0.1 ? 2 : 1
      return fixed(seconds, places)
    }
    let whole = Int(seconds.rounded())
    let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }

  /// Returns the frequencies of a grid; those with labels are bold lines.
  static let frequencies: [Double] = [
    20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 2_000,
    3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 20_000,
  ]
  static let namedFrequencies: [Double: String] = [
    20: "20", 50: "50", 100: "100", 200: "200", 500: "500", 1_000: "1k", 2_000: "2k",
    5_000: "5k", 10_000: "10k", 20_000: "20k",
  ]

  /// Returns a number with fixed decimals; a dash for infinity and NaN.
  static func fixed(_ value: Double, _ places: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else {
      return value == -.infinity ? "-inf" : value == .infinity ? "inf" : "–"
    }
    let scale = pow(10, Double(places))
    let digits = Int((abs(value) * scale).rounded())
    let sign = value < 0 && digits > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(digits)" }
    let rest = "\(digits % Int(scale))"
    let zeros = String(repeating: "0", count: places - rest.count)
    return "\(sign)\(digits / Int(scale)).\(zeros)\(rest)"
  }
}

/// A perceptually even colour map for screen and print: black, violet, red, yellow, white.
enum Palette {
  private static let stops: [UInt32] = [
    0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754, 0xdd513a, 0xf37819, 0xfca50a,
    0xf6d746, 0xfcffa4,
  ]

  static let heat: [Colour] = (0 ..< 256).map { index in
    let position = Double(index) / 255 * Double(stops.count - 1)
    let first = min(stops.count - 2, Int(position))
    let fraction = position - Double(first)
    let (one, other) = (Colour(stops[first]), Colour(stops[first + 1]))
    func mixed(_ part: (Colour) -> UInt8) -> UInt32 {
      UInt32((Double(part(one)) * (1 - fraction) + Double(part(other)) * fraction).rounded())
    }
    return Colour(mixed(\.red) << 16 | mixed(\.green) << 8 | mixed(\.blue))
  }
}
