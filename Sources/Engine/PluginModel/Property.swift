// Property.swift: a plugin's value of any type, in addition to parameters. SPDX-License-Identifier: MIT

/// The type of a property's value.
package enum PropertyType: String, Sendable, CaseIterable {
  /// True or false.
  case bool
  /// A whole number of 32 bits.
  case int
  /// A whole number of 64 bits.
  case long
  /// A number of 32 bits.
  case float
  /// A number of 64 bits.
  case double
  /// Text.
  case string
  /// The absolute path of a file.
  case path
  /// The URI of anything.
  case uri
  /// Numbers or truth values of one type, any number of them.
  case vector
  /// The plugin's data do not say; such a property can be read, but not set.
  case undeclared
}

/// A property's value.
package enum PropertyValue: Sendable, Equatable {
  /// True or false.
  case bool(Bool)
  /// A whole number of 32 bits.
  case int(Int32)
  /// A whole number of 64 bits.
  case long(Int64)
  /// A number of 32 bits.
  case float(Float)
  /// A number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)
  /// The absolute path of a file.
  case path(String)
  /// The URI of anything.
  case uri(String)
  /// Values of the same type of fixed size.
  case vector([PropertyValue])

  /// The type of the value. [any]
  package var type: PropertyType {
    switch self {
    case .bool: .bool
    case .int: .int
    case .long: .long
    case .float: .float
    case .double: .double
    case .string: .string
    case .path: .path
    case .uri: .uri
    case .vector: .vector
    }
  }

  /// The value as a number; nil if it is not a number. [any]
  package var number: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): Double(value)
    case .long(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    case .string, .path, .uri, .vector: nil
    }
  }
}

/// A typed value of a plugin, set or reported by its URI: numbers, truth values, text and files.
///
/// A parameter is a port. A property is sent in messages and may have any length.
package struct Property: Sendable, Equatable {
  /// A value with a name.
  package struct Choice: Sendable, Equatable {
    /// The value of the name.
    package var value: PropertyValue
    /// The readable name.
    package var name: String

    /// A named value.
    package init(value: PropertyValue, name: String) {
      self.value = value
      self.name = name
    }
  }

  /// The permanent name.
  package var uri: String
  /// The readable name.
  package var name: String
  /// A description in one sentence; empty if there is none.
  package var summary = ""
  /// The unit after a number; empty if there is none.
  package var unit = ""
  /// The type of the value.
  package var type: PropertyType
  /// The type of a vector's elements.
  package var elementType = PropertyType.float
  /// The minimum, in the unit; nil if none is declared.
  package var minimum: Double?
  /// The value at the start; nil if none is declared.
  package var defaultValue: PropertyValue?
  /// The maximum, in the unit; nil if none is declared.
  package var maximum: Double?
  /// Named values.
  package var choices: [Choice] = []
  /// Whether the property can be set.
  package var isWritable = false
  /// Whether the plugin reports its value and may change it itself.
  package var isReadable = false

  /// Creates a property of a type; everything else is set afterwards.
  package init(uri: String, name: String, type: PropertyType) {
    self.uri = uri
    self.name = name
    self.type = type
  }

  /// The short name for programs and rigs: the last part of the URI. [any]
  package var symbol: String {
    uri.split(whereSeparator: { $0 == "#" || $0 == "/" || $0 == ":" }).last.map(String.init) ?? uri
  }

  /// Returns the first of a list that matches a URI, a symbol, or a name in any letter case. [any]
  package static func index(of name: String, in properties: [Property]) -> Int? {
    properties.firstIndex { $0.uri == name }
      ?? properties.firstIndex { $0.symbol == name }
      ?? properties.firstIndex { $0.name.lowercased() == name.lowercased() }
  }
}
