// PluginPreset.swift: what is known of a preset without loading it. SPDX-License-Identifier: MIT

/// A preset of a plugin.
package struct PluginPreset: Sendable, Equatable, Codable {
  /// What presets are put together in.
  package struct Bank: Sendable, Hashable, Codable {
    /// Its URI.
    package var identifier: String
    /// What a person calls it.
    package var name: String

    /// A bank with its names.
    package init(identifier: String, name: String) {
      self.identifier = identifier
      self.name = name
    }
  }

  /// Its URI.
  package var identifier: String
  /// What a person calls it.
  package var name: String
  /// What it is put in; nil where it is in none.
  package var bank: Bank?
  /// The folder of the bundle that it is in.
  package var location: String

  /// A preset with its names.
  package init(identifier: String, name: String, bank: Bank? = nil, location: String) {
    self.identifier = identifier
    self.name = name
    self.bank = bank
    self.location = location
  }

  /// The name with that of its bank in front, where it is in one.
  package var fullName: String { bank.map { "\($0.name)/\(name)" } ?? name }
}
