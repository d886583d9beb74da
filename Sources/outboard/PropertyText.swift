// PropertyText.swift: plugin properties as text. SPDX-License-Identifier: MIT

import Console
import PluginModel
import PluginReports
import Session

extension PropertyJSON {
  /// The value on one line.
  var text: String {
    switch value {
    case .bool(let value): value ? "on" : "off"
    case .int(let value): "\(value)"
    case .long(let value): "\(value)"
    case .float(let value): NumberFormat.short(Double(value))
    case .double(let value): NumberFormat.short(value)
    case .string(let text), .path(let text), .uri(let text): text
    case .vector(let elements):
      elements.map { PropertyJSON(value: $0).text }.joined(separator: ", ")
    }
  }
}

/// A property of a node with its value.
struct NodeProperty: Encodable {
  let node: String
  let property: String
  let uri: String
  let value: PropertyJSON

  init(_ report: PropertyReport) {
    node = report.node
    property = report.property.symbol
    uri = report.property.uri
    value = PropertyJSON(value: report.value)
  }
}

/// The properties of a plugin as lines of text.
enum PropertyTable {
  static func lines(_ properties: [Property]) -> [String] {
    guard !properties.isEmpty else { return [] }
    var table = Table([
      .init("  SYMBOL"), .init("TYPE"), .init("DEFAULT", .right), .init("MINIMUM", .right),
      .init("MAXIMUM", .right), .init("UNIT"), .init("ACCESS"), .init("NAME"),
    ])
    for property in properties {
      let type = property.type == .vector ? "\(property.elementType) list" : "\(property.type)"
      table.add([
        "  \(property.symbol)", type,
        property.defaultValue.map { PropertyJSON(value: $0).text } ?? "",
        number(property.minimum), number(property.maximum),
        property.unit, access(property), property.name,
      ])
    }
    var lines = ["", "Properties"] + table.lines(width: nil)
    for property in properties where !property.choices.isEmpty {
      let choices = property.choices.map { "\(PropertyJSON(value: $0.value).text) = \($0.name)" }
      lines.append("  \(property.symbol): \(choices.joined(separator: ", "))")
    }
    return lines
  }

  private static func number(_ value: Double?) -> String {
    value.map { NumberFormat.short($0) } ?? ""
  }

  private static func access(_ property: Property) -> String {
    switch (property.isWritable, property.isReadable) {
    case (true, true): "set, reported"
    case (true, false): "set"
    default: "reported"
    }
  }
}
