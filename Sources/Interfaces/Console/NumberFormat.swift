// NumberFormat.swift: numbers as text. SPDX-License-Identifier: MIT

import Glibc

/// Formats numbers with units and a fixed number of decimals.
package enum NumberFormat {
  /// Returns a rounded number with `places` decimals in any locale; with an exponent above 15 digits.
  package static func fixed(_ value: Double, places: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    let scale = pow(10, Double(places))
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let digits = Int(scaled)
    let sign = value < 0 && digits > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(digits)" }
    let fraction = String(digits % Int(scale))
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(sign)\(digits / Int(scale)).\(zeros)\(fraction)"
  }

  /// Returns a number with at most `places` decimals, without trailing zeros.
  package static func short(_ value: Double, places: Int = 4) -> String {
    var text = fixed(value, places: places)
    // Zeros of an exponent must stay.
    guard text.contains("."), !text.contains("e") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// Returns a linear amplitude in dBFS, e.g.
  ///
  /// `-12.3`; `-inf` for silence.
  package static func decibels(linear: Double) -> String { decibels(20 * log10(linear)) }

  /// Returns a level in decibels with one decimal; `-inf` for silence.
  package static func decibels(_ value: Double) -> String { fixed(value, places: 1) }

  /// Returns a fraction as a percentage, e.g.
  ///
  /// `4.2 %`.
  package static func percent(_ fraction: Double) -> String {
    fixed(fraction * 100, places: 1) + " %"
  }

  /// Returns a duration: `0.73 s`, `12.5 s`, `3 min 07 s`.
  package static func duration(_ seconds: Double) -> String {
    // Compare rounded values: 9.996 s is not shown as 10.00 s, and 59.97 s not as 60.0 s.
    if seconds < 9.995 { return fixed(seconds, places: 2) + " s" }
    if seconds < 59.95 { return fixed(seconds, places: 1) + " s" }
    guard seconds < 1e12 else { return fixed(seconds, places: 0) + " s" }
    let whole = Int(seconds.rounded())
    if whole < 3_600 { return "\(whole / 60) min \(padded(whole % 60)) s" }
    return "\(whole / 3_600) h \(padded(whole / 60 % 60)) min"
  }

  /// Returns text aligned to the right.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.columnCount)) + text
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
