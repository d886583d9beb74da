// LV2World.swift: the owner of what lilv has read. SPDX-License-Identifier: MIT

internal import CLilv
internal import Glibc

/// One lilv world: it reads bundles and describes the plugins in them.
///
/// lilv is not thread-safe, so a world stays on the thread that made it; what it returns are plain
/// values. Reading is by bundle, as a host that wants one plugin must not wait for four hundred
/// manifests, and without the specifications, whose few facts are in `LV2Vocabulary`.
package final class LV2World {
  let world: OpaquePointer
  let terms: LV2Predicates

  /// A world without any bundle. [main]
  package init() throws(LV2Error) {
    guard let world = lilv_world_new() else { throw .noWorld }
    self.world = world
    terms = LV2Predicates(world)
  }

  deinit {
    terms.free()
    lilv_world_free(world)
  }

  /// Reads the manifest of one bundle folder. [main]
  package func loadBundle(_ path: String) {
    guard let uri = lilv_new_file_uri(world, nil, path.hasSuffix("/") ? path : path + "/") else {
      return
    }
    lilv_world_load_bundle(world, uri)
    lilv_node_free(uri)
  }

  /// URIs of the plugins in the bundles read so far, sorted. [main]
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

  /// Reads all the data of one plugin. [main]
  package func plugin(_ uri: String) throws(LV2Error) -> LV2Plugin {
    guard let record = record(of: uri) else { throw .unknownPlugin(uri: uri) }
    return LV2Reader(world: self, record: record).plugin()
  }

  // MARK: - Nodes

  /// lilv's record of a plugin, lent as long as the world lives. [main]
  func record(of uri: String) -> OpaquePointer? {
    guard let node = lilv_new_uri(world, uri) else { return nil }
    defer { lilv_node_free(node) }
    return lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), node)
  }

  /// The first value of a property of anything, as text. [main]
  func value(of subject: OpaquePointer, _ predicate: OpaquePointer) -> String? {
    guard let node = lilv_world_get(world, subject, predicate, nil) else { return nil }
    defer { lilv_node_free(node) }
    return string(node)
  }

  /// Text of a node, whatever its kind; empty for none. [main]
  func string(_ node: OpaquePointer?) -> String {
    guard let node else { return "" }
    if lilv_node_is_uri(node) { return lilv_node_as_uri(node).map { String(cString: $0) } ?? "" }
    if lilv_node_is_blank(node) {
      return lilv_node_as_blank(node).map { String(cString: $0) } ?? ""
    }
    return lilv_node_as_string(node).map { String(cString: $0) } ?? ""
  }

  /// The members of a collection, lent as long as the collection lives. [main]
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

  /// The path of a file URI; empty for none. [main]
  func path(_ node: OpaquePointer?) -> String {
    guard let node, let text = lilv_node_get_path(node, nil) else { return "" }
    defer { lilv_free(text) }
    return String(cString: text)
  }
}
