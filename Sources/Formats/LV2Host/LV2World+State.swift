// LV2World+State.swift: states of bundles and instances. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import CLilv
internal import PluginModel

extension LV2World {
  /// Returns the state of an instance, with port values by symbol. [main]
  ///
  /// - Throws: `LV2StateError.notSaved`.
  func state(
    of plugin: PluginDescription, _ call: LV2StateCall, values: [String: Float],
    scratches: [LV2ScratchDirectory]
  ) throws(LV2StateError) -> LV2State {
    guard let record = record(of: plugin.identifier) else {
      throw .notSaved(name: plugin.name, reason: "its bundle no longer exists")
    }
    // lilv reads the ports when they are first counted.
    _ = lilv_plugin_get_num_ports(record)
    var map = LV2_URID_Map(handle: nil, map: mapURID)
    let ports = PortValueStore(values)
    defer { withExtendedLifetime(ports) {} }
    let made = call.withInstance { instance in
      lilv_state_new_from_instance(
        record, instance, &map, nil, nil, nil, nil, applyPortValue,
        Unmanaged.passUnretained(ports).toOpaque(),
        LV2_STATE_IS_POD.rawValue | LV2_STATE_IS_PORTABLE.rawValue, nil)
    }
    guard let made else { throw .notSaved(name: plugin.name, reason: "there is not enough memory") }
    let state = LV2State(made, self, scratches: scratches)
    if let reason = call.failure { throw .notSaved(name: plugin.name, reason: reason) }
    state.isWhole = call.hasSucceeded
    return state
  }

  /// Returns the default state in the plugin's data; nil if there is none. [main]
  func defaultState(of plugin: PluginDescription) -> LV2State? {
    guard let record = record(of: plugin.identifier) else { return nil }
    // Loads the plugin's data, which contains the state.
    _ = lilv_plugin_get_num_ports(record)
    return state(lilv_plugin_get_uri(record), base: plugin.location)
  }

  /// Returns a preset, whose bundle is read. [any one thread]
  func state(
    of preset: PluginPreset, of plugin: PluginDescription
  ) throws(LV2StateError) -> LV2State {
    loadBundle(preset.location)
    guard let state = state(named: preset.identifier, of: plugin, base: preset.location) else {
      throw .noPreset(identifier: preset.identifier, path: preset.location)
    }
    return state
  }

  /// Returns a state or preset by its node, after loading its data. [main]
  func state(_ node: OpaquePointer?, base: String) -> LV2State? {
    guard let node else { return nil }
    lilv_world_load_resource(world, node)
    var map = LV2_URID_Map(handle: nil, map: mapURID)
    guard let state = lilv_state_new_from_world(world, &map, node) else { return nil }
    return LV2State(state, self, base: FileSystem.withoutSlash(base))
  }

  /// Returns a preset of a plugin by its URI; nil if it does not exist. [main]
  func state(named uri: String, of plugin: PluginDescription, base: String) -> LV2State? {
    guard let node = lilv_new_uri(world, uri) else { return nil }
    defer { lilv_node_free(node) }
    // A preset may be in the plugin's own data, which is loaded when its ports are counted.
    if let record = record(of: plugin.identifier) { _ = lilv_plugin_get_num_ports(record) }
    lilv_world_load_resource(world, node)
    return applies(node, to: plugin.identifier) ? state(node, base: base) : nil
  }

  /// Returns the only state of the plugin in the loaded bundles. [main]
  func singleState(of plugin: PluginDescription, in directory: String) throws(LV2StateError)
    -> LV2State
  {
    guard let presets = lilv_world_find_nodes(world, nil, terms.type, terms.preset) else {
      throw .noState(path: directory)
    }
    defer { lilv_nodes_free(presets) }
    let pluginPresets = nodes(presets).filter { applies($0, to: plugin.identifier) }
    guard let first = pluginPresets.first else {
      guard
        let other = nodes(presets).lazy.compactMap({ self.value(of: $0, self.terms.appliesTo) })
          .first
      else { throw .noState(path: directory) }
      throw .otherPlugin(path: directory, found: other, name: plugin.name)
    }
    guard pluginPresets.count == 1 else {
      throw .several(path: directory, count: pluginPresets.count, name: plugin.name)
    }
    guard let state = state(first, base: directory) else { throw .noState(path: directory) }
    return state
  }
}

extension LV2World {
  /// Whether a preset applies to a plugin; it may apply to several. [main]
  func applies(_ preset: OpaquePointer, to uri: String) -> Bool {
    guard let plugins = lilv_world_find_nodes(world, preset, terms.appliesTo, nil) else {
      return false
    }
    defer { lilv_nodes_free(plugins) }
    return nodes(plugins).contains { string($0) == uri }
  }
}

/// Memory for port values that lilv requests.
private final class PortValueStore {
  private let values: [String: Float]
  private let scratchValue = UnsafeMutablePointer<Float>.allocate(capacity: 1)

  init(_ values: [String: Float]) {
    self.values = values
    scratchValue.initialize(to: 0)
  }

  deinit { scratchValue.deallocate() }

  func value(_ symbol: String) -> UnsafeRawPointer? {
    guard let value = values[symbol] else { return nil }
    scratchValue.pointee = value
    return UnsafeRawPointer(scratchValue)
  }
}

private func applyPortValue(
  _ symbol: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
  _ size: UnsafeMutablePointer<UInt32>?, _ type: UnsafeMutablePointer<UInt32>?
) -> UnsafeRawPointer? {
  guard let symbol, let context else { return nil }
  size?.pointee = UInt32(MemoryLayout<Float>.size)
  type?.pointee = URIDMap.shared.number(LV2.atom + "Float")
  return Unmanaged<PortValueStore>.fromOpaque(context).takeUnretainedValue()
    .value(String(cString: symbol))
}
