// LV2Presets.swift: the presets of a plugin, wherever they lie. SPDX-License-Identifier: MIT

internal import CLilv
internal import Glibc
package import PluginModel

/// Finds presets.
///
/// Any bundle may hold presets of any plugin, and may bring code that runs while it is read (a dynamic
/// manifest), so this belongs in a child process.
package enum LV2Presets {
  /// Finds the presets of a plugin. [any one thread]
  ///
  /// - Parameters:
  ///   - uri: The plugin.
  ///   - home: The bundle of the plugin, whose presets may be part of the plugin's data.
  ///   - bundles: All bundles, first to last.
  /// - Returns: by bank and name; of two with one URI the first that is found.
  /// - Throws: If lilv cannot be started.
  package static func find(
    of uri: String, home: String, in bundles: [String]
  ) throws(LV2Error) -> [PluginPreset] {
    var presets: [PluginPreset] = []
    var known: Set<String> = []
    // The name of a bank may stand in another bundle than a preset that is in it.
    var bankNames: [String: String] = [:]
    let others = bundles.filter {
      FileSystem.withoutSlash($0) != FileSystem.withoutSlash(home) && mentionsPresets($0)
    }
    for bundle in [home] + others {
      let world = try LV2World()
      world.loadBundle(bundle)
      if bundle == home, let record = world.record(of: uri) {
        _ = lilv_plugin_get_num_ports(record)
      }
      let found = world.presets(of: uri, in: FileSystem.withoutSlash(bundle))
      presets += found.filter { known.insert($0.identifier).inserted }
      bankNames.merge(world.bankNames) { $1 }
    }
    for index in presets.indices {
      guard let bank = presets[index].bank?.identifier else { continue }
      presets[index].bank?.name = bankNames[bank] ?? bank
    }
    return presets.sorted {
      ($0.bank?.name ?? "", $0.name, $0.identifier)
        < ($1.bank?.name ?? "", $1.name, $1.identifier)
    }
  }

  /// Whether a manifest can name a preset: however it abbreviates, it has to spell the word.
  ///
  /// Reading hundreds of manifests as Turtle takes seconds.
  private static func mentionsPresets(_ bundle: String) -> Bool {
    guard let file = fopen(bundle + "/manifest.ttl", "re") else { return false }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0 {
      if let line, strstr(line, "Preset") != nil { return true }
    }
    return false
  }
}

extension LV2World {
  /// The presets of a plugin in the bundle read; banks are named by their URI. [main]
  fileprivate func presets(of uri: String, in bundle: String) -> [PluginPreset] {
    guard let presets = lilv_world_find_nodes(world, nil, terms.type, terms.preset) else {
      return []
    }
    defer { lilv_nodes_free(presets) }
    return nodes(presets).filter { applies($0, to: uri) }.compactMap { preset in
      // A preset without a URI has nothing that it could be loaded by.
      guard lilv_node_is_uri(preset) else { return nil }
      lilv_world_load_resource(world, preset)
      let identifier = string(preset)
      let bank = value(of: preset, terms.bank)
      return PluginPreset(
        identifier: identifier,
        name: (value(of: preset, terms.label) ?? identifier).clipped(to: 200),
        bank: bank.map { PluginPreset.Bank(identifier: $0, name: $0) }, location: bundle)
    }
  }

  /// What banks are called, by URI, in all that was read. [main]
  fileprivate var bankNames: [String: String] {
    guard let banks = lilv_world_find_nodes(world, nil, terms.type, terms.bankClass) else {
      return [:]
    }
    defer { lilv_nodes_free(banks) }
    var names: [String: String] = [:]
    for bank in nodes(banks) { names[string(bank)] = value(of: bank, terms.label) }
    return names
  }
}
