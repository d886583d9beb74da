// RelativeValue.swift: values relative to the present one. SPDX-License-Identifier: MIT

package import PluginModel

/// A value that is written relative to the present one: `+=3`, `-=50 ms`, `*=2`, `toggle`, `next`, `previous`.
package enum RelativeValue: Equatable {
  /// Adds a quantity.
  case sum(Quantity)
  /// Multiplies by a number.
  case product(Double)
  /// Changes the position of a switch.
  case toggle
  /// Goes forward or back in the list of choices, and from its end to its other end.
  case step(Int)

  /// Parses a text; returns nil for a value that does not depend on the present one. [any]
  package init?(_ text: String) {
    let text = text.trimmed
    switch text.lowercased() {
    case "toggle": self = .toggle
    case "next": self = .step(1)
    case "previous": self = .step(-1)
    default:
      let sign = text.prefix(2)
      guard sign.hasSuffix("="), let quantity = Quantity(String(text.dropFirst(2))) else {
        return nil
      }
      switch sign {
      case "+=": self = .sum(quantity)
      case "-=":
        var negative = quantity
        negative.value = -quantity.value
        self = .sum(negative)
      case "*=" where quantity.unit.isEmpty: self = .product(quantity.value)
      default: return nil
      }
    }
  }

  /// The result for a number in a unit; nil if the value is in another unit or is no arithmetic. [any]
  package func applied(to present: Double, unit: String) -> Double? {
    switch self {
    case .sum(let quantity):
      let step = quantity.unit.isEmpty ? quantity.value : quantity.converted(to: unit)
      return step.map { present + $0 }
    case .product(let factor): return present * factor
    case .toggle, .step: return nil
    }
  }
}

extension ParameterValue {
  /// Parses a value that may be relative to the present one. [any]
  ///
  /// - Parameters:
  ///   - text: the value as in `parse(_:for:)`, or a `RelativeValue`.
  ///   - parameter: the parameter.
  ///   - present: its present value, in its unit.
  /// - Returns: the value, or why there is none.
  package static func parse(
    _ text: String, for parameter: Parameter, from present: Float
  ) -> Result<ParameterValue, ParameterValueError> {
    let isChoice = parameter.choices.contains { $0.name.lowercased() == text.trimmed.lowercased() }
    guard !isChoice, let relative = RelativeValue(text) else { return parse(text, for: parameter) }
    switch relative {
    case .toggle:
      guard parameter.isSwitch else { return .failure(.notASwitch(parameter: parameter)) }
      let isOn = present == parameter.maximum
      return .success(ParameterValue(value: isOn ? parameter.minimum : parameter.maximum))
    case .step(let step):
      let values = parameter.choices.map(\.value).sorted()
      guard !values.isEmpty else { return .failure(.noChoices(parameter: parameter)) }
      let index = values.lastIndex { $0 <= present } ?? 0
      return .success(
        ParameterValue(value: values[(index + step + values.count) % values.count]))
    case .sum, .product:
      guard let number = relative.applied(to: Double(present), unit: parameter.unit) else {
        guard case .sum(let quantity) = relative else { return parse(text, for: parameter) }
        return .failure(.wrongUnit(parameter: parameter, found: text, unit: quantity.unit))
      }
      return .success(clamped(number, written: plain(Float(number)), for: parameter))
    }
  }
}

extension Parameter {
  /// Whether the parameter has two positions, off and on.
  package var isSwitch: Bool {
    scale == .toggle || (scale == .integer && minimum == 0 && maximum == 1 && choices.count <= 2)
  }
}
