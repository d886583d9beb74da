// PluginDetails.swift: the names, ranges and units of a plugin's values. SPDX-License-Identifier: MIT

import HostModel

/// The names, ranges and units of a plugin's values, and its presets.
struct PluginDetails: Equatable {
  /// A parameter or readout.
  struct Value: Equatable {
    var name: String
    var unit: String?
    var minimum: Double?
    var maximum: Double?
    var choices: [Choice]
    var isInteger: Bool
  }

  /// A named value.
  struct Choice: Equatable {
    var value: Double
    var name: String
  }

  var parameters: [String: Value] = [:]
  var readouts: [String: Value] = [:]
  var presets: [String] = []

  /// Reads the description of a plugin, as `outboard info --json` prints it.
  init(_ json: JSONValue) {
    parameters = Self.values(json["parameters"])
    readouts = Self.values(json["readouts"])
    presets = json["presets"].items.compactMap { $0["name"].text }
  }

  private static func values(_ list: JSONValue?) -> [String: Value] {
    var values: [String: Value] = [:]
    for item in list.items {
      guard let symbol = item["symbol"].text else { continue }
      values[symbol] = Value(
        name: item["name"].text ?? symbol, unit: item["unit"].text,
        minimum: item["minimum"].number, maximum: item["maximum"].number,
        choices: item["choices"].items.compactMap { choice in
          guard let value = choice["value"].number, let name = choice["name"].text else {
            return nil
          }
          return Choice(value: value, name: name)
        }, isInteger: ["integer", "toggle"].contains(item["scale"].text ?? ""))
    }
    return values
  }
}

extension JSONValue? {
  fileprivate var items: [JSONValue] { if case .array(let items)? = self { items } else { [] } }

  fileprivate var text: String? { if case .string(let text)? = self { text } else { nil } }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number)?: Double(number)
    case .number(let number)?: number
    default: nil
    }
  }
}
