// PluginPreset.swift: the description of a preset that is not loaded. SPDX-License-Identifier: MIT

/// A preset of a plugin.
package struct PluginPreset: Sendable, Equatable, Codable {
  /// A group of presets.
  package struct Bank: Sendable, Hashable, Codable {
    /// The URI.
    package var identifier: String
    /// The readable name.
    package var name: String

    /// A bank with its names.
    package init(identifier: String, name: String) {
      self.identifier = identifier
      self.name = name
    }
  }

  /// The URI.
  package var identifier: String
  /// The readable name.
  package var name: String
  /// The bank; nil if it is in none.
  package var bank: Bank?
  /// The directory of its bundle.
  package var location: String

  /// A preset with its names.
  package init(identifier: String, name: String, bank: Bank? = nil, location: String) {
    self.identifier = identifier
    self.name = name
    self.bank = bank
    self.location = location
  }

  /// The name, with that of its bank in front if it has one.
  package var fullName: String { bank.map { "\($0.name)/\(name)" } ?? name }
}

/// A preset in a plugin's description, which only sets parameters.
package struct ParameterPreset: Sendable, Equatable {
  /// A parameter's value.
  package struct Value: Sendable, Equatable {
    /// The index in the plugin's `parameters`.
    package var parameter: Int
    /// In the parameter's unit, legal for it.
    package var value: Float

    /// A parameter with its value.
    package init(parameter: Int, value: Float) {
      self.parameter = parameter
      self.value = value
    }
  }

  /// The readable name.
  package var name: String
  /// The values; parameters without a value get their default.
  package var values: [Value]

  /// A preset with its values.
  package init(name: String, values: [Value]) {
    self.name = name
    self.values = values
  }
}
