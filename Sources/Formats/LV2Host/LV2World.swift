// LV2World.swift: the owner of lilv's data. SPDX-License-Identifier: MIT

internal import CLilv
internal import Glibc

/// A lilv world: loads bundles and describes their plugins.
///
/// lilv is not thread-safe, so use a world on one thread. Results are plain values. Bundles are loaded one by one,
/// because loading hundreds of manifests for one plugin is slow. Specifications are not loaded; `LV2Vocabulary`
/// contains the needed terms.
package final class LV2World {
  let world: OpaquePointer
  let terms: LV2Predicates

  /// Creates an empty world. [main]
  package init() throws(LV2Error) {
    guard let world = lilv_world_new() else { throw .noWorld }
    self.world = world
    terms = LV2Predicates(world)
  }

  deinit {
    terms.free()
    lilv_world_free(world)
  }

  /// Loads the manifest of a bundle. [main]
  package func loadBundle(_ path: String) {
    guard let uri = lilv_new_file_uri(world, nil, path.hasSuffix("/") ? path : path + "/") else {
      return
    }
    lilv_world_load_bundle(world, uri)
    lilv_node_free(uri)
  }

  /// The URIs of the plugins in the loaded bundles, sorted. [main]
  package var pluginURIs: [String] {
    guard let plugins = lilv_world_get_all_plugins(world) else { return [] }
    var uris: [String] = []
    var position = lilv_plugins_begin(plugins)
    while !lilv_plugins_is_end(plugins, position) {
      if let plugin = lilv_plugins_get(plugins, position) {
        uris.append(string(lilv_plugin_get_uri(plugin)))
      }
      position = lilv_plugins_next(plugins, position)
    }
    return uris.sorted()
  }

  /// Reads the data of a plugin. [main]
  package func plugin(_ uri: String) throws(LV2Error) -> LV2Plugin {
    guard let record = record(of: uri) else { throw .unknownPlugin(uri: uri) }
    return LV2Reader(world: self, record: record).plugin()
  }

  // MARK: - Nodes

  /// Returns lilv's record of a plugin, valid while the world lives. [main]
  func record(of uri: String) -> OpaquePointer? {
    guard let node = lilv_new_uri(world, uri) else { return nil }
    defer { lilv_node_free(node) }
    return lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), node)
  }

  /// Returns the first value of a property, as text. [main]
  func value(of subject: OpaquePointer, _ predicate: OpaquePointer) -> String? {
    guard let node = lilv_world_get(world, subject, predicate, nil) else { return nil }
    defer { lilv_node_free(node) }
    return string(node)
  }

  /// Returns the text of a node; empty if there is no node. [main]
  func string(_ node: OpaquePointer?) -> String {
    guard let node else { return "" }
    if lilv_node_is_uri(node) { return lilv_node_as_uri(node).map { String(cString: $0) } ?? "" }
    if lilv_node_is_blank(node) {
      return lilv_node_as_blank(node).map { String(cString: $0) } ?? ""
    }
    return lilv_node_as_string(node).map { String(cString: $0) } ?? ""
  }

  /// Returns the members of a collection, valid while the collection lives. [main]
  func nodes(_ collection: UnsafeRawPointer?) -> [OpaquePointer] {
    guard let collection else { return [] }
    var found: [OpaquePointer] = []
    var position = lilv_nodes_begin(collection)
    while !lilv_nodes_is_end(collection, position) {
      if let node = lilv_nodes_get(collection, position) { found.append(node) }
      position = lilv_nodes_next(collection, position)
    }
    return found
  }

  /// Returns the path of a file URI; empty if there is none. [main]
  func path(_ node: OpaquePointer?) -> String {
    guard let node, let text = lilv_node_get_path(node, nil) else { return "" }
    defer { lilv_free(text) }
    return String(cString: text)
  }
}
