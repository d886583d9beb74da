// PluginLibrary+Presets.swift: presets of plugins, by name. SPDX-License-Identifier: MIT

package import PluginCatalogue
package import PluginModel

extension PluginLibrary {
  /// Returns the presets of a plugin, by bank and name. [main]
  ///
  /// This is slow, because any bundle can contain them.
  ///
  /// - Throws: `PresetError.unreadable`.
  package func presets(of plugin: PluginDescription) throws(PresetError) -> [PluginPreset] {
    guard let format = presetFormat(of: plugin) else { return [] }
    guard let presets = format.list(of: plugin, in: context) else {
      throw .unreadable(plugin: plugin.name)
    }
    return presets
  }

  /// Returns where new presets of a plugin are saved; nil if its format cannot save any. [main]
  package func presetStorage(of plugin: PluginDescription) -> PresetStorage? {
    presetFormat(of: plugin)?.storage
  }

  /// Returns the presets of the format of a plugin; nil if its plugins have none. [any]
  package func presetFormat(of plugin: PluginDescription) -> (any PresetFormat)? {
    formats.formats(of: plugin.kind).lazy.compactMap(\.presets).first
  }
}
