// ParameterValue.swift: parses parameter values. SPDX-License-Identifier: MIT

package import PluginModel

/// A legal value for a parameter, with a note if it was corrected.
package struct ParameterValue: Sendable, Equatable {
  /// In the parameter's unit, legal for it.
  package var value: Float
  /// The message why it differs from the text; nil if it does not.
  package var note: String?

  /// Creates a value with a note.
  package init(value: Float, note: String? = nil) {
    self.value = value
    self.note = note
  }

  /// Parses a value from a command line or a rig. [any]
  ///
  /// Accepts a number in the parameter's unit or in another unit of the same kind (`250 ms`, `1.2 kHz`,
  /// `30 %`), the name of a choice, ignoring case, or `on`, `off`, `true`, `false` for a switch. A value out of
  /// range is clamped, with a note.
  package static func parse(
    _ text: String, for parameter: Parameter
  ) -> Result<ParameterValue, ParameterValueError> {
    let written = text.trimmed
    if let value = named(written, in: parameter) { return .success(ParameterValue(value: value)) }
    guard let quantity = Quantity(written) else {
      return .failure(refusal(of: written, by: parameter))
    }
    let unit = quantity.unit
    guard
      unit.isEmpty || unit == parameter.unit
        || quantity.converted(to: parameter.unit) != nil
    else {
      return .failure(.wrongUnit(parameter: parameter, found: written, unit: unit))
    }
    let number = unit.isEmpty ? quantity.value : quantity.converted(to: parameter.unit)
    return .success(clamped(number ?? quantity.value, written: written, for: parameter))
  }

  /// The value of a choice's name or a switch position.
  private static func named(_ text: String, in parameter: Parameter) -> Float? {
    let lower = text.lowercased()
    if let choice = parameter.choices.first(where: { $0.name.lowercased() == lower }) {
      return choice.value
    }
    let isSwitch =
      parameter.scale == .toggle
      || (parameter.scale == .integer && parameter.minimum == 0 && parameter.maximum == 1)
    guard isSwitch, let isOn = switchPosition(text) else { return nil }
    return isOn ? parameter.maximum : parameter.minimum
  }

  private static func refusal(of text: String, by parameter: Parameter) -> ParameterValueError {
    parameter.choices.isEmpty
      ? .notANumber(parameter: parameter, found: text)
      : .notAChoice(
        parameter: parameter, found: text,
        suggestion: nearest(to: text, among: parameter.choices.map(\.name)))
  }

  /// The nearest legal value, with a note if it is another one.
  static func clamped(
    _ number: Double, written: String, for parameter: Parameter
  ) -> ParameterValue {
    // Compared as Double: 1e300 is out of range, not infinite.
    let inside = Swift.min(
      Swift.max(number, Double(parameter.minimum)), Double(parameter.maximum))
    let value = parameter.nearestValid(to: Float(inside))
    let reason: String
    if number > Double(parameter.maximum), Float(number) > parameter.maximum {
      reason = "is above the maximum"
    } else if number < Double(parameter.minimum), Float(number) < parameter.minimum {
      reason = "is below the minimum"
    } else if value == Float(number) {
      return Self(value: value)
    } else if parameter.isEnumeration {
      reason = "is not an allowed value"
    } else {
      reason = parameter.scale == .toggle ? "is neither on nor off" : "is not a whole number"
    }
    let note = "\(parameter.symbol) = \(written) \(reason). Using \(parameter.written(value))."
    return Self(value: value, note: note)
  }
}

extension Parameter {
  /// A value with its unit, or its choice's name.
  package func written(_ value: Float) -> String {
    if let choice = choices.first(where: { $0.value == value }) { return choice.name }
    if scale == .toggle { return value == maximum ? "on" : "off" }
    return unit.isEmpty ? plain(value) : "\(plain(value)) \(unit)"
  }

  /// Returns the spelling of a legal value in a rig: readable if it converts back to exactly the same value.
  package func spelling(of value: Float) -> String {
    let text = written(value)
    if case .success(let read) = ParameterValue.parse(text, for: self), read.value == value,
      read.note == nil
    {
      return text
    }
    return plain(value)
  }

  /// All that it can be set to.
  package var allowedValues: String {
    let names = choices.map(\.name).joined(separator: ", ")
    if isEnumeration { return names }
    if scale == .toggle { return "on or off" }
    let unitAfter = unit.isEmpty ? "" : " \(unit)"
    let range = "\(plain(minimum)) to \(plain(maximum))\(unitAfter)"
    return names.isEmpty ? range : "\(range), or \(names)"
  }
}
