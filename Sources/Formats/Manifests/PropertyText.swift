// PropertyText.swift: parses property values. SPDX-License-Identifier: MIT

import CFiles
import FoundationEssentials
import Glibc
package import PluginModel

/// A legal value for a property, with a note if it was corrected.
package struct PropertyText: Sendable, Equatable {
  /// The value, which has the property's type and is in its range.
  package var value: PropertyValue
  /// The reason why the value differs from the text; nil if both are equal.
  package var note: String?

  /// Parses a value from a command line or a rig. [main]
  ///
  /// Accepts the name of a choice, ignoring case; otherwise a value of the property's type: `on` or `off`; a
  /// number in the property's unit or another of the same kind; any text; an existing path; a URI; numbers
  /// separated by commas. A value out of range is clamped, with a note. A relative path starts at `directory`.
  package static func parse(
    _ text: String, for property: Property, directory: String
  ) -> Result<PropertyText, PropertyTextError> {
    guard property.isWritable else { return .failure(.readOnly(property)) }
    let written = text.trimmed
    if let choice = property.choices.first(where: { $0.name.lowercased() == written.lowercased() })
    {
      return .success(PropertyText(value: choice.value))
    }
    switch property.type {
    case .string: return .success(PropertyText(value: .string(text)))
    case .path: return path(written, for: property, directory: directory)
    case .uri:
      guard written.contains(":") else {
        return .failure(.wrong(property, found: text, what: "a URI, such as urn:example:sound"))
      }
      return .success(PropertyText(value: .uri(written)))
    case .vector: return vector(written, for: property)
    case .undeclared: return .failure(.undeclared(property))
    case .bool, .int, .long, .float, .double: return scalar(written, property.type, for: property)
    }
  }

  // MARK: - Numbers

  private static func scalar(
    _ text: String, _ type: PropertyType, for property: Property
  ) -> Result<PropertyText, PropertyTextError> {
    if type == .bool {
      guard let isOn = switchPosition(text) else {
        return .failure(.wrong(property, found: text, what: "on or off"))
      }
      return .success(PropertyText(value: .bool(isOn)))
    }
    // A `Double` represents whole numbers exactly only up to 53 bits.
    if type == .long, let whole = Int64(text), property.minimum == nil, property.maximum == nil {
      return .success(PropertyText(value: .long(whole)))
    }
    guard let quantity = Quantity(text) else {
      return .failure(.wrong(property, found: text, what: range(of: property)))
    }
    guard
      let number = quantity.unit.isEmpty ? quantity.value : quantity.converted(to: property.unit)
    else { return .failure(.wrong(property, found: text, what: range(of: property))) }
    return .success(clamped(number, type, written: text, for: property))
  }

  private static func clamped(
    _ number: Double, _ type: PropertyType, written: String, for property: Property
  ) -> PropertyText {
    let bounds = bounds(of: property, type)
    let inside = min(max(number, bounds.lowerBound), bounds.upperBound)
    let value = PropertyValue(number: inside, type: type)
    let start = "\(property.symbol) = \(written)"
    if inside < number {
      return Self(value: value, note: "\(start) is above the maximum. Using \(plain(inside)).")
    }
    if inside > number {
      return Self(value: value, note: "\(start) is below the minimum. Using \(plain(inside)).")
    }
    let isWhole = type == .int || type == .long
    guard isWhole, number != number.rounded() else { return Self(value: value) }
    return Self(
      value: value, note: "\(start) is not a whole number. Using \(plain(number.rounded())).")
  }

  /// Returns the declared range, limited to the range of the type.
  private static func bounds(of property: Property, _ type: PropertyType) -> ClosedRange<Double> {
    let limits: ClosedRange<Double> =
      switch type {
      case .int: Double(Int32.min) ... Double(Int32.max)
      // The next number below 2^63.
      case .long: -0x1p63 ... 0x1.fffffffffffffp62
      case .float:
        -Double(Float.greatestFiniteMagnitude) ... Double(Float.greatestFiniteMagnitude)
      default: -Double.greatestFiniteMagnitude ... Double.greatestFiniteMagnitude
      }
    let minimum = max(property.minimum ?? limits.lowerBound, limits.lowerBound)
    return minimum ... max(minimum, min(property.maximum ?? limits.upperBound, limits.upperBound))
  }

  private static func range(of property: Property) -> String {
    let names = property.choices.map(\.name)
    let unit = property.unit.isEmpty ? "" : " \(property.unit)"
    let number: String =
      switch (property.minimum, property.maximum) {
      case (let minimum?, let maximum?):
        "a number from \(plain(minimum)) to \(plain(maximum))\(unit)"
      case (let minimum?, nil): "a number from \(plain(minimum))\(unit) on"
      case (nil, let maximum?): "a number up to \(plain(maximum))\(unit)"
      case (nil, nil): property.unit.isEmpty ? "a number" : "a number in \(property.unit)"
      }
    return names.isEmpty ? number : "\(number), or \(names.joined(separator: ", "))"
  }

  private static func vector(
    _ text: String, for property: Property
  ) -> Result<PropertyText, PropertyTextError> {
    var inner = Substring(text)
    if inner.hasPrefix("["), inner.hasSuffix("]") { inner = inner.dropFirst().dropLast() }
    var elements: [PropertyValue] = []
    for word in inner.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard case .success(let element) = scalar(String(word), property.elementType, for: property),
        element.note == nil
      else {
        let what = "numbers with commas between, each \(range(of: property))"
        return .failure(.wrong(property, found: String(word), what: what))
      }
      elements.append(element.value)
    }
    return .success(PropertyText(value: .vector(elements)))
  }

  // MARK: - Paths

  private static func path(
    _ text: String, for property: Property, directory: String
  ) -> Result<PropertyText, PropertyTextError> {
    guard !text.isEmpty else { return .failure(.wrong(property, found: text, what: "a file")) }
    let home = text == "~" || text.hasPrefix("~/")
    let whole =
      home
      ? FileManager.default.homeDirectoryForCurrentUser.path + text.dropFirst()
      : text.hasPrefix("/") ? text : directory + "/" + text
    let path = URL(fileURLWithPath: whole).standardizedFileURL.path
    guard FileManager.default.fileExists(atPath: path) else {
      return .failure(.noFile(property, found: text, path: path))
    }
    // A plugin that opens a pipe would wait for its writer, perhaps for ever.
    let kind = unsafe cfiles_kind_at(path)
    guard ![CFILES_PIPE, CFILES_SOCKET, CFILES_DEVICE].contains(kind) else {
      let name = unsafe String(cString: cfiles_kind_name(kind))
      return .failure(.notAFile(property, found: text, kind: name))
    }
    return .success(PropertyText(value: .path(path)))
  }
}

extension PropertyValue {
  /// Creates a value of the type, rounded if the type has only whole numbers.
  fileprivate init(number: Double, type: PropertyType) {
    switch type {
    case .int: self = .int(Int32(number.rounded()))
    case .long: self = .long(Int64(number.rounded()))
    case .float: self = .float(Float(number))
    default: self = .double(number)
    }
  }
}
