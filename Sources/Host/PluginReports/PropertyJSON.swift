// PropertyJSON.swift: plugin properties as JSON. SPDX-License-Identifier: MIT

package import PluginModel

/// The JSON of a property value: a number, a string, true or false, or a list.
package struct PropertyJSON: Encodable {
  /// The value.
  package let value: PropertyValue

  /// The JSON of a value.
  package init(value: PropertyValue) { self.value = value }

  /// Writes the value.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch value {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .long(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let text), .path(let text), .uri(let text): try container.encode(text)
    case .vector(let elements): try container.encode(elements.map(PropertyJSON.init))
    }
  }
}

extension PluginReport {
  /// The description of a property.
  struct PropertyDetails: Encodable {
    struct Choice: Encodable {
      let value: PropertyJSON
      let name: String
    }

    let symbol: String
    let uri: String
    let name: String
    let description: String?
    let type: String
    /// The element type of a vector.
    let elementType: String?
    let unit: String?
    let minimum: Double?
    let `default`: PropertyJSON?
    let maximum: Double?
    let choices: [Choice]?
    let writable: Bool
    let readable: Bool

    init(_ property: Property) {
      symbol = property.symbol
      uri = property.uri
      name = property.name
      description = property.summary.isEmpty ? nil : property.summary
      type = property.type.rawValue
      elementType = property.type == .vector ? property.elementType.rawValue : nil
      unit = property.unit.isEmpty ? nil : property.unit
      minimum = property.minimum
      `default` = property.defaultValue.map(PropertyJSON.init)
      maximum = property.maximum
      choices =
        property.choices.isEmpty
        ? nil
        : property.choices.map { Choice(value: PropertyJSON(value: $0.value), name: $0.name) }
      writable = property.isWritable
      readable = property.isReadable
    }
  }
}
