// PresetResolution.swift: lookup of a preset by name. SPDX-License-Identifier: MIT

package import PluginModel

/// Finds a preset by name.
///
/// Tries in this order: the URI; the name with its bank (`Rooms/Small`); the name alone; both ignoring case; a part
/// that occurs in only one preset.
package struct PresetResolution {
  private let presets: [PluginPreset]
  /// The plugin name for messages.
  private let plugin: String

  /// Creates a lookup among the presets of a plugin.
  package init(presets: [PluginPreset], plugin: String) {
    (self.presets, self.plugin) = (presets, plugin)
  }

  /// Returns the preset, or throws an error with the candidates. [any]
  package func resolve(_ name: String) throws(PresetError) -> PluginPreset {
    guard !presets.isEmpty else { throw .none(plugin: plugin, name: name) }
    let wanted = name.lowercased()
    let steps: [(PluginPreset) -> Bool] = [
      { $0.identifier == name }, { $0.fullName == name }, { $0.name == name },
      { $0.fullName.lowercased() == wanted }, { $0.name.lowercased() == wanted },
      { !wanted.isEmpty && $0.fullName.lowercased().contains(wanted) },
    ]
    for isMeant in steps {
      let found = presets.filter(isMeant)
      if found.count == 1 { return found[0] }
      guard found.isEmpty else {
        throw .ambiguous(
          name: name, plugin: plugin,
          candidates: found.map { "\"\($0.fullName)\" <\($0.identifier)>" })
      }
    }
    let known = presets.map(\.fullName)
    throw .unknown(
      name: name, plugin: plugin,
      suggestion: nearest(to: name, among: presets.map(\.name) + known), known: known)
  }
}
