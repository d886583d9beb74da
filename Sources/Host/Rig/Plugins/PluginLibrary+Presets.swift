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

  private func presetFormat(of plugin: PluginDescription) -> (any PresetFormat)? {
    formats.formats(of: plugin.kind).lazy.compactMap(\.presets).first
  }

  /// Returns the initial preset of each node, in rig order. [main]
  ///
  /// - Throws: `ManifestError` with all missing presets and their locations.
  package func find(
    presetsOf rig: RigDescription, _ plugins: [PluginDescription]
  ) throws(ManifestError) -> [PluginPreset?] {
    var found: [PluginPreset?] = []
    var findings: [Diagnostic] = []
    var known: [String: [PluginPreset]] = [:]
    for (node, plugin) in zip(rig.nodes, plugins) {
      guard let written = node.preset else {
        found.append(nil)
        continue
      }
      do {
        guard presetFormat(of: plugin) != nil else {
          throw PresetError.builtin(plugin: plugin.name)
        }
        let presets = try known[plugin.identifier] ?? presets(of: plugin)
        known[plugin.identifier] = presets
        found.append(
          try PresetResolution(presets: presets, plugin: plugin.name).resolve(written.text))
      } catch {
        findings.append(
          RigNodeError(
            position: written.position,
            keyPath: written.place?.keyPath ?? "\(node.keyPath).preset",
            fault: .reported(message: "\(error)")
          ).finding(in: written.place?.file ?? node.origin?.file ?? rig.file))
      }
    }
    guard findings.isEmpty else { throw ManifestError(findings) }
    return found
  }
}
