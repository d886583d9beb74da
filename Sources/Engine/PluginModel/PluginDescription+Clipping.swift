// PluginDescription+Clipping.swift: texts of plugins that are longer than any use. SPDX-License-Identifier: MIT

/// The maximum lengths of a plugin's texts, in code points.
private enum Longest {
  static let name = 200
  static let message = 2_000
  /// Longer identifiers and symbols are rejected, because a truncated one could mean something
  /// else.
  static let identifier = 2_000
  static let symbol = 500
}

extension String {
  /// The text as a name: on one line, and clipped.
  fileprivate var asName: String {
    guard contains(where: \.isNewline) else { return clipped(to: Longest.name) }
    return String(map { $0.isNewline ? " " : $0 }).clipped(to: Longest.name)
  }
}

extension PluginDescription {
  /// The description with truncated texts; rejected if an identifying text is too long. [any]
  ///
  /// A plugin's data may contain any text, and the list of plugins is kept in memory and printed.
  package var clipped: PluginDescription {
    var plugin = self
    if let fault = excess { plugin.refusal = fault }
    plugin.identifier = identifier.clipped(to: Longest.identifier)
    plugin.name = name.asName
    plugin.maker = maker.asName
    plugin.licence = licence.asName
    plugin.category = category.asName
    plugin.summary = summary.clipped(to: Longest.message)
    plugin.refusal = plugin.refusal?.clipped(to: Longest.message)
    plugin.audioInputs = audioInputs.map(\.clipped)
    plugin.audioOutputs = audioOutputs.map(\.clipped)
    plugin.cvInputs = cvInputs.map(\.clipped)
    plugin.cvOutputs = cvOutputs.map(\.clipped)
    plugin.parameters = parameters.map(\.clipped)
    plugin.readouts = readouts.map(\.clipped)
    plugin.properties = properties.map(\.clipped)
    plugin.presets = presets.map { preset in
      var preset = preset
      preset.name = preset.name.asName
      return preset
    }
    plugin.requiredFeatures = requiredFeatures.map { $0.clipped(to: Longest.identifier) }
    plugin.optionalFeatures = optionalFeatures.map { $0.clipped(to: Longest.identifier) }
    return plugin
  }

  /// Why the plugin cannot be hosted because of a text that is too long.
  private var excess: String? {
    let shown = name.asName
    guard identifier.utf8.count <= Longest.identifier else {
      return "The identifier of \(shown) has \(identifier.utf8.count) bytes; \(Longest.identifier)"
        + " is the limit."
    }
    let ports = audioInputs + audioOutputs + cvInputs + cvOutputs
    let symbols = ports.map(\.symbol) + (parameters + readouts).map(\.symbol)
    let longest = symbols.lazy.map(\.utf8.count).max() ?? 0
    guard longest > Longest.symbol else { return nil }
    return "A port of \(shown) has a symbol of \(longest) bytes; \(Longest.symbol) is the limit."
  }
}

extension AudioPort {
  fileprivate var clipped: AudioPort {
    var port = self
    port.symbol = symbol.clipped(to: Longest.symbol)
    port.name = name.asName
    port.group = group.asName
    return port
  }
}

extension Parameter {
  fileprivate var clipped: Parameter {
    var parameter = self
    parameter.symbol = symbol.clipped(to: Longest.symbol)
    parameter.name = name.asName
    parameter.unit = unit.asName
    for index in choices.indices {
      parameter.choices[index].name = choices[index].name.asName
    }
    return parameter
  }
}

extension Property {
  fileprivate var clipped: Property {
    var property = self
    property.name = name.asName
    property.summary = summary.clipped(to: Longest.message)
    property.unit = unit.asName
    for index in choices.indices {
      property.choices[index].name = choices[index].name.asName
    }
    return property
  }
}
