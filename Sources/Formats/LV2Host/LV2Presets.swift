// LV2Presets.swift: finds the presets of a plugin. SPDX-License-Identifier: MIT

internal import CLilv
internal import Glibc
package import PluginModel

/// Finds presets in all bundles.
///
/// Any bundle may contain presets of any plugin and code that runs during the scan (a dynamic manifest). Call it in
/// a helper process.
package enum LV2Presets {
  /// Finds the presets of a plugin. [any one thread]
  ///
  /// - Parameters:
  ///   - uri: The plugin.
  ///   - home: The plugin's bundle, which may contain presets in the plugin's data.
  ///   - bundles: All bundles, in order.
  /// - Returns: presets by bank and name; for equal URIs the first.
  /// - Throws: If lilv fails to start.
  package static func find(
    of uri: String, home: String, in bundles: [String]
  ) throws(LV2Error) -> [PluginPreset] {
    var presets: [PluginPreset] = []
    var known: Set<String> = []
    // The name of a bank may be in another bundle than its presets.
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

  /// Whether a manifest may contain a preset: it must contain the word in any notation.
  ///
  /// Parsing hundreds of manifests as Turtle takes seconds.
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
  /// Reads the names of all presets in the loaded bundle, and the URIs of their plugins. [main]
  ///
  /// - Parameters:
  ///   - isWanted: whether to read the preset at an index.
  ///   - found: called with each preset.
  func readPresetNames(
    where isWanted: (Int) -> Bool, _ found: (_ plugin: String, _ name: String) -> Void
  ) {
    guard let presets = lilv_world_find_nodes(world, nil, terms.type, terms.preset) else { return }
    defer { lilv_nodes_free(presets) }
    for (index, preset) in nodes(presets).enumerated() where isWanted(index) {
      guard lilv_node_is_uri(preset) else { continue }
      if value(of: preset, terms.label) == nil { lilv_world_load_resource(world, preset) }
      guard let name = value(of: preset, terms.label)?.clipped(to: 200),
        let plugins = lilv_world_find_nodes(world, preset, terms.appliesTo, nil)
      else { continue }
      defer { lilv_nodes_free(plugins) }
      for plugin in nodes(plugins) { found(string(plugin), name) }
    }
  }

  /// Returns the presets of a plugin in the loaded bundle; banks are URIs. [main]
  fileprivate func presets(of uri: String, in bundle: String) -> [PluginPreset] {
    guard let presets = lilv_world_find_nodes(world, nil, terms.type, terms.preset) else {
      return []
    }
    defer { lilv_nodes_free(presets) }
    return nodes(presets).filter { applies($0, to: uri) }.compactMap { preset in
      // A preset without a URI cannot be loaded.
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

  /// Returns the names of banks by URI. [main]
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
