// Property+BinaryCoding.swift: binary encoding of properties. SPDX-License-Identifier: MIT
//
// If you change a field, increase `CacheFile.formatVersion`.

package import PluginModel

extension BinaryEncoder {
  mutating func write(_ property: Property) {
    for text in [
      property.uri, property.name, property.summary, property.unit, property.type.rawValue,
      property.elementType.rawValue,
    ] { write(text) }
    for bound in [property.minimum, property.maximum] {
      write(bound != nil)
      write((bound ?? 0).bitPattern)
    }
    write(property.defaultValue != nil)
    if let value = property.defaultValue { write(value) }
    write(property.choices) {
      $0.write($1.value)
      $0.write($1.name)
    }
    write(property.isWritable)
    write(property.isReadable)
  }

  /// Writes a property's value.
  package mutating func write(_ value: PropertyValue) {
    write(value.type.rawValue)
    switch value {
    case .bool(let value): write(value)
    case .int(let value): write(value)
    case .long(let value): write(value)
    case .float(let value): write(value)
    case .double(let value): write(value.bitPattern)
    case .string(let text), .path(let text), .uri(let text): write(text)
    case .vector(let elements): write(elements) { $0.write($1) }
    }
  }
}

extension BinaryDecoder {
  mutating func property() throws(BinaryDecodingError) -> Property {
    var property = Property(uri: try text(), name: try text(), type: .undeclared)
    property.summary = try text()
    property.unit = try text()
    property.type = try propertyType()
    property.elementType = try propertyType()
    property.minimum = try bound()
    property.maximum = try bound()
    property.defaultValue = try flag() ? try propertyValue() : nil
    property.choices = try list { reader throws(BinaryDecodingError) in
      Property.Choice(value: try reader.propertyValue(), name: try reader.text())
    }
    property.isWritable = try flag()
    property.isReadable = try flag()
    return property
  }

  private mutating func propertyType() throws(BinaryDecodingError) -> PropertyType {
    guard let type = PropertyType(rawValue: try text()) else { throw BinaryDecodingError() }
    return type
  }

  private mutating func bound() throws(BinaryDecodingError) -> Double? {
    let isDeclared = try flag()
    let value = Double(bitPattern: try number())
    return isDeclared ? value : nil
  }

  /// Reads a property's value.
  package mutating func propertyValue() throws(BinaryDecodingError) -> PropertyValue {
    try propertyValue(depth: 0)
  }

  private mutating func propertyValue(depth: Int) throws(BinaryDecodingError) -> PropertyValue {
    switch try propertyType() {
    case .bool: return .bool(try flag())
    case .int: return .int(try number())
    case .long: return .long(try number())
    case .float: return .float(try float())
    case .double: return .double(Double(bitPattern: try number()))
    case .string: return .string(try text())
    case .path: return .path(try text())
    case .uri: return .uri(try text())
    case .vector:
      // A vector in a vector is damage and could be nested without limit.
      guard depth == 0 else { throw BinaryDecodingError() }
      return .vector(
        try list { reader throws(BinaryDecodingError) in try reader.propertyValue(depth: 1) })
    case .undeclared: throw BinaryDecodingError()
    }
  }
}
