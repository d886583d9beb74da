// ParameterValueError.swift: why a text is not a value of a parameter. SPDX-License-Identifier: MIT

package import ErrorModel
package import PluginModel

/// Why a text is no value for a parameter.
package enum ParameterValueError: Sendable, Equatable {
  /// The text is not a number, and the parameter has no named values.
  case notANumber(parameter: Parameter, found: String)
  /// The text is neither a number nor one of the parameter's named values.
  case notAChoice(parameter: Parameter, found: String, suggestion: String?)
  /// The text has a unit that cannot be converted into the parameter's unit.
  case wrongUnit(parameter: Parameter, found: String, unit: String)
  /// The parameter cannot be toggled.
  case notASwitch(parameter: Parameter)
  /// The parameter has no list of values to step through.
  case noChoices(parameter: Parameter)

  /// The message, with how to fix it.
  package var description: String {
    switch self {
    case .notANumber(let parameter, let found):
      let isSwitch = parameter.scale == .toggle
      return
        "\(parameter.symbol) = \(found.shortened) is not a \(isSwitch ? "switch position" : "number")."
        + " Allowed: \(parameter.allowedValues)."
    case .notAChoice(let parameter, let found, let suggestion?):
      return "\(parameter.symbol) = \(found.shortened) is not a valid choice. Did you mean"
        + " \"\(suggestion)\"?"
    case .notAChoice(let parameter, let found, nil):
      return "\(parameter.symbol) = \(found.shortened) is not an allowed value. Allowed:"
        + " \(parameter.allowedValues)."
    case .wrongUnit(let parameter, let found, let unit):
      let unitText = parameter.unit.isEmpty ? "it has no unit" : "its unit is \(parameter.unit)"
      return "\(parameter.symbol) = \(found.shortened) is in \(unit), but \(unitText). Allowed:"
        + " \(parameter.allowedValues)."
    case .notASwitch(let parameter):
      return "\(parameter.symbol) is not a switch. Allowed: \(parameter.allowedValues)."
    case .noChoices(let parameter):
      return "\(parameter.symbol) has no list of choices. Allowed: \(parameter.allowedValues)."
    }
  }
}

extension ParameterValueError: HostError {
  /// Invalid values are errors of the request.
  package var kind: ErrorKind { .usage }
}
