// PluginLibrary+Presets.swift: presets of plugins, by name. SPDX-License-Identifier: MIT

import PluginCatalogue
package import PluginModel

extension PluginLibrary {
  /// Returns the presets of a plugin, by bank and name. [main]
  ///
  /// This is slow, because any bundle can contain them.
  ///
  /// - Throws: `PresetError.unreadable`.
  package func presets(of plugin: PluginDescription) throws(PresetError) -> [PluginPreset] {
    guard plugin.kind == .lv2 else {
      return plugin.presets.map {
        PluginPreset(identifier: $0.name, name: $0.name, location: plugin.location)
      }
    }
    let bundles = catalogue.sources.filter { $0.name == PluginSource.lv2.name }.flatMap {
      $0.units().paths
    }
    let request = PresetScanHelper.Request(
      plugin: plugin.identifier, home: plugin.location, bundles: bundles)
    guard
      let presets = PresetScanHelper.presets(request, by: catalogue.child)
    else { throw .unreadable(plugin: plugin.name) }
    return presets
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
        guard plugin.kind != .builtin else { throw PresetError.builtin(plugin: plugin.name) }
        let presets = try known[plugin.identifier] ?? presets(of: plugin)
        known[plugin.identifier] = presets
        found.append(
          try PresetResolution(presets: presets, plugin: plugin.name).resolve(written.text))
      } catch {
        findings.append(
          Mistake(
            position: written.position,
            keyPath: written.place?.keyPath ?? "\(node.keyPath).preset",
            fault: .reported(sentence: "\(error)")
          ).finding(in: written.place?.file ?? node.origin?.file ?? rig.file))
      }
    }
    guard findings.isEmpty else { throw ManifestError(findings) }
    return found
  }
}
