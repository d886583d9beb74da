// ParameterDescription+Scale.swift: values as positions, steps and text. SPDX-License-Identifier: MIT

import Console
import Glibc

// The same rules as in Sources/Interfaces/WebPage/format.js: both displays show the same values.
extension ParameterDescription {
  /// A hundredth of the scale is a step.
  static let stepsPerScale = 100.0

  /// Whether the parameter is a switch.
  var isToggle: Bool { scale == .toggle }
  /// Whether the value is one of several names.
  var isChoice: Bool { !choices.isEmpty && !isToggle }
  private var isInteger: Bool { scale == .integer || isToggle }
  private var isLogarithmic: Bool { scale == .logarithmic && minimum > 0 && maximum > minimum }

  /// The position of a value on its scale, 0 to 1.
  func position(of value: Double) -> Double {
    guard maximum > minimum, value.isFinite else { return 0 }
    let fraction =
      isLogarithmic
      ? log(max(value, minimum) / minimum) / log(maximum / minimum)
      : (value - minimum) / (maximum - minimum)
    return min(1, max(0, fraction))
  }

  /// The value at a position, rounded to the resolution of a control.
  func value(at position: Double) -> Double {
    guard position > 0 else { return minimum }
    guard position < 1 else { return maximum }
    let raw =
      isLogarithmic
      ? minimum * pow(maximum / minimum, position) : minimum + position * (maximum - minimum)
    if isInteger { return raw.rounded() }
    let value =
      isLogarithmic
      ? Self.rounded(raw, digits: 3) : Self.rounded(raw, toStep: (maximum - minimum) / 500)
    return min(maximum, max(minimum, value))
  }

  /// The value after some steps; a step of a whole number is 1, and the next choice of a choice.
  func stepped(_ value: Double, by steps: Double) -> Double {
    if isChoice { return choice(value, by: steps < 0 ? -1 : 1) }
    if isInteger {
      let whole = max(1, abs(steps).rounded()) * (steps < 0 ? -1 : 1)
      return min(maximum, max(minimum, value.rounded() + whole))
    }
    let sign = steps < 0 ? -1.0 : 1.0
    let next = self.value(at: position(of: value) + steps / Self.stepsPerScale)
    // A step that is smaller than the resolution still moves.
    return next == value ? self.value(at: position(of: value) + sign / Self.stepsPerScale) : next
  }

  private func choice(_ value: Double, by step: Int) -> Double {
    let index = choiceIndex(value) ?? 0
    return choices[min(choices.count - 1, max(0, index + step))].value
  }

  /// The choice that is nearest to a value; nil if there are none.
  func choiceIndex(_ value: Double) -> Int? {
    choices.indices.min { abs(choices[$0].value - value) < abs(choices[$1].value - value) }
  }

  /// Rounds to 1, 2 or 5 times a power of ten.
  private static func rounded(_ value: Double, toStep step: Double) -> Double {
    let power = pow(10, log10(step).rounded(.down))
    let factor = step / power
    let roundFactor = (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10) * power
    return rounded((value / roundFactor).rounded() * roundFactor, digits: 12)
  }

  private static func rounded(_ value: Double, digits: Int) -> Double {
    guard value != 0, value.isFinite else { return value }
    let scale = pow(10, Double(digits - 1) - log10(abs(value)).rounded(.down))
    return (value * scale).rounded() / scale
  }

  // MARK: - Text

  /// The value with its unit, or the name of a choice.
  func text(_ value: Double) -> String {
    if let choice = choices.first(where: { abs($0.value - value) < 1e-6 }) { return choice.name }
    if isToggle { return value >= 0.5 ? "on" : "off" }
    if unit == "Hz" { return Self.hertz(value) }
    if unit == "ms", abs(value) >= 1_000 { return Self.number(value / 1_000) + " s" }
    if unit.isEmpty { return Self.number(value) }
    return Self.number(value) + (":°".contains(unit.prefix(1)) ? unit : " \(unit)")
  }

  /// A frequency with its unit.
  static func hertz(_ value: Double) -> String {
    abs(value) >= 1_000 ? number(value / 1_000) + " kHz" : number(value) + " Hz"
  }

  /// The range with its unit, for a question.
  var rangeText: String { "\(text(minimum)) to \(text(maximum))" }

  /// A number with the digits that matter.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    return NumberFormat.short(value, places: size >= 100 ? 0 : size >= 10 ? 1 : 2)
  }

  /// A value for `set`.
  static func argument(_ value: Double) -> String { NumberFormat.short(value, places: 6) }

  /// Returns what a person typed as a value for `set`; a `k` after a number stands for thousands.
  static func typed(_ text: String) -> String {
    let plain = String(text.map { "−–".contains($0) ? "-" : $0 == "," ? "." : $0 })
    let typed = trimmed(plain)
    if let last = typed.last, "kK".contains(last),
      let number = Double(trimmed(String(typed.dropLast())))
    {
      return argument(number * 1_000)
    }
    return typed
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
