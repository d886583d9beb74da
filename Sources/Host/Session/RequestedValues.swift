// RequestedValues.swift: the values that a command sets. SPDX-License-Identifier: MIT

import Manifests
import PluginModel
import RigPlanning

/// The parsed values that a command sets.
struct RequestedValues {
  private(set) var parameters: [(index: Int, value: Float)] = []
  private(set) var properties: [(index: Int, value: PropertyValue)] = []
  private(set) var notes: [String] = []
  private(set) var mistakes: [String] = []

  init(
    _ values: [(symbol: String, text: String)], of member: BuiltRig.BuiltNode, directory: String
  ) {
    let plugin = member.plugin
    for (symbol, text) in values {
      if let index = plugin.parameters.index(ofSymbol: symbol) {
        let now = parameters.last { $0.index == index }?.value ?? member.nodes[0].parameter(index)
        switch ParameterValue.parse(text, for: plugin.parameters[index], from: now) {
        case .success(let parsed):
          parameters.append((index, parsed.value))
          if let note = parsed.note { notes.append("\(member.name): \(note)") }
        case .failure(let error): mistakes.append("\(member.name): \(error)")
        }
      } else if let index = Property.index(of: symbol, in: plugin.properties) {
        switch PropertyText.parse(text, for: plugin.properties[index], directory: directory) {
        case .success(let parsed):
          properties.append((index, parsed.value))
          if let note = parsed.note { notes.append("\(member.name): \(note)") }
        case .failure(let error): mistakes.append("\(member.name): \(error)")
        }
      } else {
        mistakes.append(Self.missing(symbol, of: member))
      }
    }
  }

  private static func missing(_ symbol: String, of member: BuiltRig.BuiltNode) -> String {
    let parameters = member.plugin.parameters.map(\.symbol)
    let properties = member.plugin.properties.map(\.symbol)
    guard !properties.isEmpty else {
      return Manifests.unknownSymbolMessage(
        symbol, among: parameters, of: member.name, what: "parameter", plural: "parameters")
    }
    return Manifests.unknownSymbolMessage(
      symbol, among: parameters + properties, of: member.name, what: "parameter or property",
      plural: "parameters or properties")
  }
}
