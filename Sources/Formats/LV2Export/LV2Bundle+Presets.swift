// LV2Bundle+Presets.swift: the presets of an exported module. SPDX-License-Identifier: MIT

import PluginModel

extension LV2Bundle {
  /// The name of the preset file, which exists if the module has presets.
  package static let presetsFile = "presets.ttl"

  /// Returns `presets.ttl` with the values of each preset; nil if there are none. [any]
  package var presets: String? {
    guard !module.presets.isEmpty else { return nil }
    return Turtle.file(module.presets.indices.map(preset))
  }

  /// Returns the statements about a preset in the manifest.
  func presetHeading(_ index: Int) -> String {
    Turtle.statement(
      Turtle.resource(presetURI(index)),
      [
        ("a", ["pset:Preset"]), ("lv2:appliesTo", [Turtle.resource(pluginURI)]),
        ("rdfs:label", [Turtle.string(module.presets[index].name)]),
        ("rdfs:seeAlso", ["<\(Self.presetsFile)>"]),
      ])
  }

  /// All parameters, because a missing one would keep its current value.
  private func preset(_ index: Int) -> String {
    let preset = module.presets[index]
    let ports = module.parameters.enumerated().map { position, parameter in
      let value = preset.values.last { $0.parameter == position }?.value ?? parameter.defaultValue
      return Turtle.shortBlank([
        ("lv2:symbol", [Turtle.string(parameter.symbol)]),
        ("pset:value", [Turtle.number(value)]),
      ])
    }
    return Turtle.statement(
      Turtle.resource(presetURI(index)),
      [
        ("a", ["pset:Preset"]), ("lv2:appliesTo", [Turtle.resource(pluginURI)]),
        ("rdfs:label", [Turtle.string(preset.name)]), ("lv2:port", ports),
      ])
  }

  /// Presets are identified by number, because their names are not valid in URIs.
  private func presetURI(_ index: Int) -> String {
    pluginURI + (pluginURI.contains("#") ? "-preset-" : "#preset-") + "\(index + 1)"
  }
}
