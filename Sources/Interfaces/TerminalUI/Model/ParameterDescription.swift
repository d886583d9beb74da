// ParameterDescription.swift: a parameter with its range, unit and choices. SPDX-License-Identifier: MIT

import HostModel

/// A parameter of a plugin, a wet level, or the gain of a connection.
struct ParameterDescription: Equatable, Sendable {
  /// How values are spread over a control.
  enum Scale: String, Sendable {
    case linear, logarithmic, integer, toggle
  }

  /// A value with a name.
  struct Choice: Equatable, Sendable {
    var name: String
    var value: Double
  }

  var symbol: String
  var name: String
  var minimum = 0.0
  var maximum = 1.0
  /// The value of a new node; nil if it is not known.
  var standard: Double?
  var unit = ""
  var scale = Scale.linear
  var choices: [Choice] = []
  /// Whether a 1 starts something, and nothing stays set.
  var isTrigger = false

  /// A parameter by its values.
  init(
    symbol: String, name: String, minimum: Double = 0, maximum: Double = 1,
    standard: Double? = nil, unit: String = "", scale: Scale = .linear
  ) {
    (self.symbol, self.name, self.minimum, self.maximum) = (symbol, name, minimum, maximum)
    (self.standard, self.unit, self.scale) = (standard, unit, scale)
  }

  /// Reads an entry of `parameters`; nil without a symbol.
  init?(json: JSONValue) {
    guard let symbol = json["symbol"]?.text else { return nil }
    self.init(symbol: symbol, name: json["name"]?.text ?? symbol)
    minimum = json["minimum"]?.number ?? 0
    maximum = json["maximum"]?.number ?? 1
    standard = json["default"]?.number
    unit = json["unit"]?.text ?? ""
    scale = json["scale"]?.text.flatMap(Scale.init) ?? .linear
    choices = Self.choices(json)
    isTrigger = json["traits"]?.elements.contains("trigger") == true
  }

  /// Reads the `choices` of a parameter or readout.
  static func choices(_ json: JSONValue) -> [Choice] {
    json["choices"]?.elements.compactMap { one in
      guard let name = one["name"]?.text, let value = one["value"]?.number else { return nil }
      return Choice(name: name, value: value)
    } ?? []
  }

  /// A parameter of a node that is part of the host, such as `gain_2` of a mixer.
  init(builtIn symbol: String) {
    let parts = symbol.split(separator: "_")
    let kind = String(parts.first ?? "")
    let title = kind.prefix(1).uppercased() + kind.dropFirst()
    let name = parts.count > 1 ? "Channel \(parts[1]) \(kind)" : title
    switch kind {
    case "mute":
      self.init(symbol: symbol, name: name, standard: 0, scale: .toggle)
    case "pan":
      self.init(symbol: symbol, name: name, minimum: -1, maximum: 1, standard: 0)
    default:
      self.init(symbol: symbol, name: name, minimum: -90, maximum: 24, standard: 0, unit: "dB")
    }
  }

  /// The wet level of a node or nested rig.
  static let wet = ParameterDescription(
    symbol: "wet", name: "Wet level", maximum: 100, standard: 100, unit: "%")

  /// The gain of a connection, whose lowest value is off.
  static func gain(_ name: String) -> ParameterDescription {
    .init(symbol: "gain", name: name, minimum: -60, maximum: 24, standard: 0, unit: "dB")
  }
}
