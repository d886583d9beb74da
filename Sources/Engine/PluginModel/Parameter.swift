// Parameter.swift: a control value with a name, a range and a unit. SPDX-License-Identifier: MIT

/// The scale of a parameter's range for controls.
package enum ParameterScale: String, Sendable {
  /// Equal steps are perceived as equal.
  case linear
  /// Equal ratios are perceived as equal; the range is above 0.
  case logarithmic
  /// Whole numbers only.
  case integer
  /// Off (0) or on (1).
  case toggle
}

/// A control input with a name, a range, a default and a unit.
package struct Parameter: Sendable, Equatable {
  /// A value with a name.
  package struct Choice: Sendable, Equatable {
    /// The value of the name.
    package var value: Float
    /// The readable name.
    package var name: String

    /// A named value.
    package init(value: Float, name: String) {
      self.value = value
      self.name = name
    }
  }

  /// The stable name for programs and rigs.
  package var symbol: String
  /// The readable name.
  package var name: String
  /// The unit after a number, for example `dB`; empty if there is none.
  package var unit: String
  /// Least value, in the unit.
  package var minimum: Float
  /// Value at the start, in the unit.
  package var defaultValue: Float
  /// Greatest value, in the unit.
  package var maximum: Float
  /// The scale of the range.
  package var scale: ParameterScale
  /// Named values; the only legal ones if `isEnumeration`.
  package var choices: [Choice]
  /// Whether only the values of `choices` are legal.
  package var isEnumeration: Bool
  /// The vendor's hints on using it.
  package var traits: ParameterTraits

  /// A parameter with all its facts.
  package init(
    symbol: String, name: String, unit: String = "", minimum: Float = 0, defaultValue: Float = 0,
    maximum: Float = 1, scale: ParameterScale = .linear, choices: [Choice] = [],
    isEnumeration: Bool = false, traits: ParameterTraits = []
  ) {
    self.symbol = symbol
    self.name = name
    self.unit = unit
    self.minimum = minimum
    self.defaultValue = defaultValue
    self.maximum = maximum
    self.scale = scale
    self.choices = choices
    self.isEnumeration = isEnumeration
    self.traits = traits
  }

  /// Returns the nearest legal value; the default for NaN.
  ///
  /// Legal values are in the range, whole numbers for `integer`, an end of the range for `toggle`,
  /// and one of the choices for an enumeration.
  package func nearestValid(to value: Float) -> Float {
    guard !value.isNaN else { return defaultValue }
    if isEnumeration,
      let nearest = choices.min(by: { abs($0.value - value) < abs($1.value - value) })
    {
      return nearest.value
    }
    let inside = Swift.min(Swift.max(value, minimum), maximum)
    switch scale {
    case .linear, .logarithmic: return inside
    case .integer: return inside.rounded()
    case .toggle: return inside > (minimum + maximum) / 2 ? maximum : minimum
    }
  }

  /// Whether it has only two values. [any]
  package var hasTwoPositions: Bool {
    scale == .toggle || (isEnumeration && choices.count == 2)
  }
}
