// PluginDescription.swift: what a display knows about a plugin. SPDX-License-Identifier: MIT

import HostModel

/// A plugin as the reply to `plugin` describes it.
struct PluginDescription: Equatable, Sendable {
  /// A value that a plugin reports.
  struct Readout: Equatable, Sendable {
    var symbol: String
    var name: String
    var unit: String
    /// Values with names.
    var choices: [ParameterDescription.Choice] = []
  }

  /// A file or text that a plugin takes.
  struct Property: Equatable, Sendable {
    var uri: String
    /// The name for `set`.
    var symbol: String
    var name: String
    /// Whether the value is the path of a file.
    var isFile: Bool
  }

  var name: String
  var category = ""
  var parameters: [ParameterDescription] = []
  var readouts: [Readout] = []
  var presets: [String] = []
  /// The properties that can be written.
  var properties: [Property] = []
  /// Why there is no description; nil if there is one.
  var problem: String?

  /// A plugin without a description.
  init(name: String, problem: String? = nil) { (self.name, self.problem) = (name, problem) }

  /// Reads the object of the reply.
  init(json: JSONValue) {
    name = json["name"]?.text ?? json["id"]?.text ?? ""
    category = json["category"]?.text ?? ""
    parameters = json["parameters"]?.elements.compactMap(ParameterDescription.init(json:)) ?? []
    readouts =
      json["readouts"]?.elements.compactMap { one in
        one["symbol"]?.text.map {
          Readout(
            symbol: $0, name: one["name"]?.text ?? $0, unit: one["unit"]?.text ?? "",
            choices: ParameterDescription.choices(one))
        }
      } ?? []
    presets = json["presets"]?.elements.compactMap { $0["name"]?.text } ?? []
    properties =
      json["properties"]?.elements.compactMap { one in
        guard let uri = one["uri"]?.text, one["writable"] != .bool(false) else { return nil }
        let symbol = one["symbol"]?.text ?? uri
        return Property(
          uri: uri, symbol: symbol, name: one["name"]?.text ?? symbol,
          isFile: one["type"]?.text == "path")
      } ?? []
  }

  /// The nodes that are part of the host, and are in no catalogue.
  private static let builtIns = [
    "mixer": "Mixer", "recorder": "Recorder", "player": "Player", "meter": "Meter",
    "analyser": "Analyser",
  ]

  /// Describes a node that is part of the host by its parameters; nil for plugins.
  init?(builtIn node: SessionState.Node) {
    guard let name = Self.builtIns[node.plugin] else { return nil }
    self.init(name: name)
    parameters = node.parameters.map { ParameterDescription(builtIn: $0.symbol) }
  }

  /// Describes a plugin without a description by the values of its node.
  init(undescribed node: SessionState.Node, problem: String?) {
    self.init(name: node.plugin, problem: problem)
  }
}

extension JSONValue {
  /// The string; nil for other values.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements of a list; none for other values.
  var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  /// The number; nil for other values.
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }
}
