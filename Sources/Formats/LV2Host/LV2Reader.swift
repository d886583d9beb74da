// LV2Reader.swift: copies the data of a plugin from lilv. SPDX-License-Identifier: MIT

internal import CLilv
internal import Glibc
internal import PluginModel

/// Reads a plugin: first its own data, then its ports (LV2Reader+Ports.swift), then reasons why it cannot be
/// hosted.
struct LV2Reader {
  let world: LV2World
  /// lilv's record, valid while the world lives and the bundle is loaded.
  let record: OpaquePointer

  var terms: LV2Predicates { world.terms }

  /// Reads the plugin. [main]
  func plugin() -> LV2Plugin {
    let uri = world.string(lilv_plugin_get_uri(record))
    var plugin = LV2Plugin(
      description: PluginDescription(
        kind: .lv2, identifier: uri, name: name() ?? uri, format: .lv2))
    plugin.version = version()
    plugin.description.maker = maker()
    plugin.description.licence = licence()
    plugin.description.category = category()
    plugin.description.summary = summary()
    plugin.description.location = world.path(lilv_plugin_get_bundle_uri(record))
    plugin.description.library = world.path(lilv_plugin_get_library_uri(record))
    plugin.description.requiredFeatures = uris(lilv_plugin_get_required_features(record))
    plugin.description.optionalFeatures = uris(lilv_plugin_get_optional_features(record))
    plugin.blockLimits = blockLimits()
    readPorts(into: &plugin)
    plugin.description.properties = properties()
    plugin.description.refusal = refusal(of: plugin)
    return plugin
  }

  // MARK: - The plugin itself

  private func name() -> String? {
    guard let node = lilv_plugin_get_name(record) else { return nil }
    defer { lilv_node_free(node) }
    let name = world.string(node)
    return name.isEmpty ? nil : name
  }

  private func maker() -> String {
    guard let node = lilv_plugin_get_author_name(record) else { return "" }
    defer { lilv_node_free(node) }
    return world.string(node)
  }

  private func licence() -> String {
    if let pluginLicense = first(terms.licence) { return pluginLicense }
    guard let values = lilv_plugin_get_value(record, terms.project) else { return "" }
    defer { lilv_nodes_free(values) }
    return world.nodes(values).lazy.compactMap { world.value(of: $0, terms.licence) }.first ?? ""
  }

  /// The most specific class with a name in the core vocabulary.
  private func category() -> String {
    guard let types = lilv_plugin_get_value(record, terms.type) else { return "" }
    defer { lilv_nodes_free(types) }
    let words = world.nodes(types).compactMap { type in
      world.string(type).tail(after: LV2.core).flatMap { LV2.categories[$0] }
    }.sorted()
    return words.first { !LV2.generalCategories.contains($0) } ?? words.first ?? ""
  }

  /// The short description, or the first sentence of the long one.
  private func summary() -> String {
    let text = first(terms.shortDescription) ?? first(terms.comment) ?? ""
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard let end = words.firstRange(of: ". ") else { return words }
    return String(words[..<end.lowerBound]) + "."
  }

  private func version() -> LV2Version {
    var version = LV2Version()
    version.minor = first(terms.minorVersion).flatMap { Int($0) } ?? 0
    version.micro = first(terms.microVersion).flatMap { Int($0) } ?? 0
    return version
  }

  /// The block length limits in its data, if they contain a power of two; nil if missing or
  /// invalid.
  private func blockLimits() -> ClosedRange<Int>? {
    func number(_ predicate: OpaquePointer) -> Int? { first(predicate).flatMap { Int($0) } }
    let minimum = number(terms.minimumBlockLength)
    let maximum = number(terms.maximumBlockLength)
    guard minimum != nil || maximum != nil else { return nil }
    let limits = (minimum ?? 1, maximum ?? Int(Int32.max))
    guard limits.0 >= 1, limits.1 >= limits.0, limits.1 <= Int(Int32.max) else { return nil }
    // A power of two must lie between them.
    let start = limits.0.nextPowerOfTwo
    return start <= limits.1 ? start ... limits.1 : nil
  }

  private func first(_ predicate: OpaquePointer) -> String? {
    guard let values = lilv_plugin_get_value(record, predicate) else { return nil }
    defer { lilv_nodes_free(values) }
    return lilv_nodes_get_first(values).map { world.string($0) }
  }

  /// Returns the members of a collection as text, sorted; frees the collection.
  private func uris(_ collection: UnsafeMutableRawPointer?) -> [String] {
    guard let collection else { return [] }
    defer { lilv_nodes_free(collection) }
    return world.nodes(collection).map { world.string($0) }.sorted()
  }

  // MARK: - Reasons for a refusal

  private func refusal(of plugin: LV2Plugin) -> String? {
    let description = plugin.description
    let missing = description.requiredFeatures.filter { !LV2.offeredFeatures.contains($0) }
    if !missing.isEmpty {
      let words = missing.map { LV2.featureDescription($0) }.joined(separator: " and ")
      return "\(description.name) requires an unsupported feature: \(words)."
    }
    if let option = uris(lilv_plugin_get_value(record, terms.requiredOption))
      .first(where: { !LV2Options.known.contains($0) })
    {
      return "\(description.name) requires an unsupported option: \(option)."
    }
    for (index, port) in plugin.ports.enumerated() where port.role == .unknown && !port.isOptional {
      let type = unknownType(ofPort: UInt32(index))
      return "\(description.name) has a port \"\(portSymbol(UInt32(index)))\" "
        + "of an unsupported type, \(type)."
    }
    if let bytes = plugin.ports.map(\.minimumSizeBytes).max(), bytes > LV2Ports.longestEventBytes {
      return "\(description.name) requires an event buffer of \(bytes) bytes. "
        + "The limit is \(LV2Ports.longestEventBytes)."
    }
    if plugin.ports.isEmpty {
      return portFault(of: description)
    }
    if description.library.isEmpty {
      return "\(description.name) declares no library in its bundle (\(description.location))."
    }
    if access(description.library, F_OK) != 0 {
      return "\(description.name) cannot be loaded: its library \(description.library) is missing."
    }
    return nil
  }

  /// Returns why lilv has no ports: none are declared, or their indices have gaps.
  private func portFault(of description: PluginDescription) -> String {
    let none = "\(description.name) declares no ports in its bundle."
    guard let ports = lilv_plugin_get_value(record, terms.port) else { return none }
    defer { lilv_nodes_free(ports) }
    let nodes = world.nodes(ports)
    guard !nodes.isEmpty else { return none }
    let indices = nodes.map { world.value(of: $0, terms.index).flatMap { Int($0) } }
    let known = Set(indices.compactMap(\.self))
    let fault =
      if let unnamedIndex = nodes.indices.first(where: { indices[$0] == nil }) {
        "its port \(symbol(of: nodes[unnamedIndex])) has no index"
      } else if let gap = (0 ..< nodes.count).first(where: { !known.contains($0) }) {
        "no port has index \(gap)"
      } else {
        // All have an index: lilv rejects a port's class or symbol.
        "lilv rejects one of its \(nodes.count) ports; each needs a class, an index and a symbol"
      }
    return "\(description.name) cannot be connected: \(fault). Fix the Turtle files of its bundle"
      + " (\(description.location))."
  }

  private func symbol(of port: OpaquePointer) -> String {
    world.value(of: port, terms.symbol).map { "\"\($0)\"" } ?? "without a symbol"
  }
}
