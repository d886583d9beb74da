// ControlRow.swift: what can be changed about a part of the rig. SPDX-License-Identifier: MIT

import HostModel

/// A line of the controls of a node, a nested rig, or an end of the chain.
struct ControlRow: Equatable {
  /// The value that the row changes.
  enum Kind: Equatable {
    /// A value on a scale.
    case value(ParameterDescription, Double)
    /// A preset of the plugin.
    case preset
    /// A property, such as a file, with its value.
    case property(PluginDescription.Property, String)
    /// A value that the plugin reports.
    case readout(PluginDescription.Readout)
  }

  /// The node or connection, as `set` takes it.
  var target: String
  /// The name of the value in the command `set`.
  var symbol: String
  var name: String
  var kind: Kind
  /// Whether the row is the gain of a connection, whose lowest value is off.
  var isConnection = false

  /// Whether keys can change it.
  var isSelectable: Bool { if case .readout = kind { false } else { true } }

  /// The parameter of a value; nil for other rows.
  var parameter: ParameterDescription? {
    if case .value(let parameter, _) = kind { parameter } else { nil }
  }

  /// The target of `learn`, as in a rig.
  var learnTarget: String { "\(target).\(symbol)" }

  /// Returns the rows of a slot of the chain.
  static func rows(
    of slot: SignalOrder.Slot, in state: SessionState, _ plugin: PluginDescription?
  ) -> [ControlRow] {
    let gains = gains(of: slot.name, state)
    if let rig = state.nestedRigs.first(where: { $0.name == slot.name }) {
      return [wet(rig.name, rig.wet)] + gains
    }
    guard let node = state.nodes.first(where: { $0.name == slot.name }) else { return gains }
    let plugin = plugin ?? PluginDescription(name: node.plugin)
    return readouts(node, plugin) + presets(node, plugin) + properties(node, plugin)
      + parameters(node, plugin) + [wet(node.name, node.wet)] + gains
  }

  private static func readouts(
    _ node: SessionState.Node, _ plugin: PluginDescription
  ) -> [ControlRow] {
    plugin.readouts.map {
      ControlRow(target: node.name, symbol: $0.symbol, name: $0.name, kind: .readout($0))
    }
  }

  private static func presets(
    _ node: SessionState.Node, _ plugin: PluginDescription
  ) -> [ControlRow] {
    guard !plugin.presets.isEmpty else { return [] }
    return [ControlRow(target: node.name, symbol: "preset", name: "Preset", kind: .preset)]
  }

  private static func properties(
    _ node: SessionState.Node, _ plugin: PluginDescription
  ) -> [ControlRow] {
    plugin.properties.map { property in
      let value = node.properties.first { $0.uri == property.uri }?.value ?? ""
      return ControlRow(
        target: node.name, symbol: property.symbol, name: property.name,
        kind: .property(property, value))
    }
  }

  /// Parameters that an automation lane moves are not in the state, and have no row.
  private static func parameters(
    _ node: SessionState.Node, _ plugin: PluginDescription
  ) -> [ControlRow] {
    node.parameters.compactMap { value in
      guard let known = plugin.parameters.first(where: { $0.symbol == value.symbol }) else {
        return nil
      }
      return ControlRow(
        target: node.name, symbol: value.symbol, name: known.name,
        kind: .value(known, Double(value.value)))
    }
  }

  private static func wet(_ name: String, _ level: Float) -> ControlRow {
    ControlRow(
      target: name, symbol: "wet", name: ParameterDescription.wet.name,
      kind: .value(.wet, Double(level) * 100))
  }

  private static func gains(of name: String, _ state: SessionState) -> [ControlRow] {
    SignalOrder(state).links.filter { $0.from == name || $0.to == name }.map { link in
      let title = "Gain \(link.from) -> \(link.to)"
      let parameter = ParameterDescription.gain(title)
      return ControlRow(
        target: link.name, symbol: "gain", name: title,
        kind: .value(parameter, Double(link.gain ?? Float(parameter.minimum))),
        isConnection: true)
    }
  }

  /// A value of this row for `set`.
  func argument(_ value: Double) -> String {
    let number = ParameterDescription.argument(value)
    if symbol == "wet" { return "\(number) %" }
    return isConnection && value <= parameter?.minimum ?? 0 ? "off" : number
  }

  /// The value of this row as text.
  func text(_ value: Double) -> String {
    guard let parameter else { return "" }
    return argument(value) == "off" ? "off" : parameter.text(value)
  }
}
