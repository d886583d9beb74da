// ControlValue.swift: a value in a request, as text, number or boolean. SPDX-License-Identifier: MIT

/// A value that a parameter or property is set to.
///
/// In JSON it is a string written as in a rig (`"40 %"`), a number in the parameter's unit, or a boolean for a
/// switch.
package struct ControlValue: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
  /// The value written as in a rig.
  package var text: String

  /// A value written as in a rig.
  package init(_ text: String) { self.text = text }

  /// A value written as in a rig.
  package init(stringLiteral text: String) { self.text = text }

  /// Reads a string, a number or a boolean.
  ///
  /// - Throws: `DecodingError.typeMismatch` for a list, an object or null.
  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self.text = text
    } else if let isOn = try? value.decode(Bool.self) {
      text = isOn ? "true" : "false"
    } else if let whole = try? value.decode(Int.self) {
      text = "\(whole)"
    } else if let number = try? value.decode(Double.self), number.isFinite {
      text = "\(number)"
    } else {
      throw DecodingError.typeMismatch(
        String.self, .init(codingPath: decoder.codingPath, debugDescription: "not a scalar"))
    }
  }

  /// Writes a string.
  package func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(text)
  }
}
