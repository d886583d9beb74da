// NumberFormat.swift: numbers as people read them. SPDX-License-Identifier: MIT

import Glibc

/// Numbers with units, in a fixed number of places.
package enum NumberFormat {
  /// A number with so many places after the point, rounded, whatever the locale; with an exponent
  /// where it has more than 15 digits.
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

  /// A number without needless zeros: at most so many places.
  package static func short(_ value: Double, places: Int = 4) -> String {
    var text = fixed(value, places: places)
    // The zeros of an exponent are not needless.
    guard text.contains("."), !text.contains("e") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// A linear amplitude in decibels of full scale, for instance `-12.3`; `-inf` for silence.
  package static func decibels(linear: Double) -> String { decibels(20 * log10(linear)) }

  /// A level in decibels to one place; `-inf` for silence.
  package static func decibels(_ value: Double) -> String { fixed(value, places: 1) }

  /// A share as a percentage, for instance `4.2 %`.
  package static func percent(_ share: Double) -> String { fixed(share * 100, places: 1) + " %" }

  /// A time span: `0.73 s`, `12.5 s`, `3 min 07 s`.
  package static func duration(_ seconds: Double) -> String {
    // Compared as they will be shown: 9.996 s are not 10.00 s, nor 59.97 s 60.0 s.
    if seconds < 9.995 { return fixed(seconds, places: 2) + " s" }
    if seconds < 59.95 { return fixed(seconds, places: 1) + " s" }
    guard seconds < 1e12 else { return fixed(seconds, places: 0) + " s" }
    let whole = Int(seconds.rounded())
    if whole < 3_600 { return "\(whole / 60) min \(padded(whole % 60)) s" }
    return "\(whole / 3_600) h \(padded(whole / 60 % 60)) min"
  }

  /// Text pushed to the right within a width.
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.columnCount)) + text
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
