// LV2Bundle+Presets.swift: the presets of an exported module. SPDX-License-Identifier: MIT

import PluginModel

extension LV2Bundle {
  /// The name of the file with the presets, which is there if the module has any.
  package static let presetsFile = "presets.ttl"

  /// `presets.ttl`: what each preset sets; nil where there is none. [any]
  package var presets: String? {
    guard !module.presets.isEmpty else { return nil }
    return Turtle.file(module.presets.indices.map(preset))
  }

  /// What hosts read of a preset in the manifest.
  func presetHeading(_ index: Int) -> String {
    Turtle.statement(
      Turtle.resource(presetURI(index)),
      [
        ("a", ["pset:Preset"]), ("lv2:appliesTo", [Turtle.resource(pluginURI)]),
        ("rdfs:label", [Turtle.string(module.presets[index].name)]),
        ("rdfs:seeAlso", ["<\(Self.presetsFile)>"]),
      ])
  }

  /// Every parameter, as one that a preset does not name would stay as it happens to be.
  private func preset(_ index: Int) -> String {
    let preset = module.presets[index]
    let ports = module.parameters.enumerated().map { place, parameter in
      let value = preset.values.last { $0.parameter == place }?.value ?? parameter.defaultValue
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

  /// Presets are told apart by their numbers, as their names are not made for URIs.
  private func presetURI(_ index: Int) -> String {
    pluginURI + (pluginURI.contains("#") ? "-preset-" : "#preset-") + "\(index + 1)"
  }
}
