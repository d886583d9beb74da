// PluginLibrary.swift: plugin lookup and creation of nodes. SPDX-License-Identifier: MIT

import CRealtime
import Isolation
package import PluginCatalogue
package import PluginModel

/// Finds plugins by any of their names, and creates nodes of them.
///
/// Belongs to the main thread, as some formats do.
package final class PluginLibrary {
  /// The formats of its plugins.
  package let formats: FormatRegistry
  /// The installed plugins.
  package let catalogue: Catalogue
  /// The loaders that create nodes, by kind of plugin; created on first use.
  private var loaders: [PluginKind: any PluginLoader] = [:]
  /// Creates isolated nodes.
  private lazy var workers = WorkerPool(catalogue.child)
  /// Built plugins by their location.
  private(set) var builds: [String: any BuiltPlugin] = [:]

  /// Notes about plugins that passed preflight. [main]
  package internal(set) var preflightRemarks: [String] = []

  /// Whether a preflight result stays valid even if files change, for programs that create a plugin thousands of
  /// times.
  package var remembersPreflights = false
  var survivors: [Preflight.Conditions: Set<String>] = [:]

  /// Whether sources are compiled for any CPU of this type, not only for this one.
  let compilesPortably: Bool
  /// When plugins are isolated without a request; nil for never.
  package var isolationPolicy: IsolationPolicy?
  /// The behaviour of plugins during preflight, by location and identifier.
  package typealias KnownTraits = [[String]: Preflight.Traits]
  /// The traits that preflight found.
  package internal(set) var knownTraits: KnownTraits = [:]

  /// Creates a library of all installed plugins, which are read on demand. [main]
  ///
  /// - Parameters:
  ///   - formats: the plugin formats.
  ///   - catalogue: the installed plugins; nil for those of the formats.
  ///   - compilesPortably: whether sources are compiled to run on other computers, too.
  ///   - isolation: when plugins are isolated without a request; nil for never.
  package init(
    formats: FormatRegistry, catalogue: Catalogue? = nil, compilesPortably: Bool = false,
    isolation: IsolationPolicy? = nil
  ) {
    self.formats = formats
    self.catalogue = catalogue ?? Catalogue(sources: formats.sources)
    self.compilesPortably = compilesPortably
    isolationPolicy = isolation
  }

  // MARK: - Finding

  /// Returns the plugin for a path, a built-in name, or a name in the catalogue. [main]
  ///
  /// - Throws: `CatalogueError`, `PluginLibraryError`, or an error of the format.
  package func find(_ name: String) throws -> PluginDescription {
    if let format = formats.format(describing: name) {
      let described = try format.describe(name, in: context)
      return described.build.map(register) ?? described.plugin
    }
    let entry = try catalogue.entry(named: name)
    guard let description = catalogue.description(of: entry) else {
      throw PluginLibraryError.vanished(name: entry.name)
    }
    return description
  }

  /// Whether a name is a path, and not that of an installed plugin. [any]
  package func isPath(_ name: String) -> Bool { formats.isPath(name) }

  /// Returns all installed plugins by name, including unusable ones. [main]
  package var installed: [PluginDescription] {
    catalogue.entries.compactMap { catalogue.description(of: $0) }
  }

  /// Returns the catalogue entry that stores results about a plugin; nil for built-in nodes. [main]
  func catalogue(of plugin: PluginDescription) -> Catalogue? {
    guard let format = formats.formats(of: plugin.kind).first(where: { $0.source != nil }) else {
      return nil
    }
    // If two installed plugins have the same id, the catalogue contains only the first.
    let uninstalledModule = format.source(of: plugin) {
      (try? catalogue.entry(named: plugin.identifier))?.unit == plugin.location
    }
    guard let uninstalledModule else { return catalogue }
    return Catalogue(
      sources: [uninstalledModule], child: catalogue.child,
      cacheDirectory: catalogue.cacheDirectory.map { $0 + "/loose" })
  }

  var context: FormatContext {
    FormatContext(catalogue: catalogue, compilesPortably: compilesPortably)
  }

  // MARK: - Making

  /// Creates an instance with the default values of the description. [main]
  package func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws -> any Node {
    let traits = traits(of: plugin)
    let isInside = [.off, .automatic].contains(configuration.isolation.process)
    guard isInside, configuration.sandbox == nil else {
      return try reportingSource(of: plugin) {
        try workers.makeNode(plugin, configuration, traits)
      }
    }
    if traits.changes.contains(.floatingPoint) { crealtime_begin_checking_x87() }
    ForeignCode.report(traits.changes, by: plugin.name)
    guard let loader = loader(of: plugin.kind) else {
      throw PluginLibraryError.vanished(name: plugin.name)
    }
    return try reportingSource(of: plugin) {
      try loader.makeNode(plugin, configuration, traits)
    }
  }

  /// Returns the result of `make`; its error names the source of a built plugin, not the library.
  private func reportingSource(
    of plugin: PluginDescription, _ make: () throws -> any Node
  ) throws -> any Node {
    do {
      return try make()
    } catch {
      guard let build = builds[plugin.location] else { throw error }
      throw PluginLibraryError.refused(
        name: plugin.name, reason: build.replacingLibraryPath("\(error)"))
    }
  }

  private func loader(of kind: PluginKind) -> (any PluginLoader)? {
    if let loader = loaders[kind] { return loader }
    let loader = formats.formats(of: kind).lazy.compactMap { $0.makeLoader() }.first
    loaders[kind] = loader
    return loader
  }

  /// Creates an instance after the plugin has passed preflight at the rate and block length of the node. [main]
  package func makePreflightedNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws -> any Node {
    try preflight([plugin], at: Preflight.Conditions(configuration))
    return try makeNode(plugin, configuration)
  }

  /// Whether instances would share variables, so that each needs a copy of the library. [main]
  package func keepsGlobals(_ plugin: PluginDescription) -> Bool {
    loader(of: plugin.kind)?.sharesVariables(plugin) ?? false
  }

  // MARK: - Built plugins

  /// Whether an instance can be replaced during a session, because its source is recompiled or its file changes.
  /// [main]
  package func isHotSwappable(_ plugin: PluginDescription) -> Bool {
    build(of: plugin) != nil
      || plugin.format.flags.contains(.propertiesNeedNewNode) && !plugin.properties.isEmpty
  }

  /// Returns the build of a plugin; nil if it was not built from files of the user. [main]
  package func build(of plugin: PluginDescription) -> (any BuiltPlugin)? { builds[plugin.location] }

  /// Returns the note about values inferred from the source code. [main]
  package func note(of plugin: PluginDescription) -> String? { build(of: plugin)?.note }

  /// Returns a message about the library of a built plugin as a message about its source. [main]
  package func replacingLibraryPath(_ message: String, of plugin: PluginDescription) -> String {
    build(of: plugin)?.replacingLibraryPath(message) ?? message
  }

  /// Adds a build, so that nodes can be created. [main]
  @discardableResult
  package func register(_ build: any BuiltPlugin) -> PluginDescription {
    builds[build.plugin.location] = build
    return build.plugin
  }

  /// Removes a build that is not used any more; its nodes stay valid. [main]
  package func evict(_ plugin: PluginDescription) {
    builds[plugin.location] = nil
    loaders[plugin.kind]?.evict(plugin)
  }
}

extension PluginLibrary {
  /// The data for another library that finds the same plugins.
  ///
  /// It may cross threads; libraries may not.
  package struct Configuration: Sendable {
    fileprivate let formats: FormatRegistry
    fileprivate let sources: [PluginSource]
    fileprivate let child: ChildCommand
    fileprivate let cacheDirectory: String?
    fileprivate let limits: ChildLimits
    fileprivate let compilesPortably: Bool
    fileprivate let isolation: IsolationPolicy?
  }

  /// Returns the data for libraries like this one. [main]
  package var sharedConfiguration: Configuration {
    Configuration(
      formats: formats, sources: catalogue.sources, child: catalogue.child,
      cacheDirectory: catalogue.cacheDirectory,
      limits: catalogue.limits, compilesPortably: compilesPortably, isolation: isolationPolicy)
  }

  /// Creates a library for the current thread. [any]
  ///
  /// - Parameters:
  ///   - sharedConfiguration: how it finds plugins.
  ///   - canceller: ends the helper processes that it starts.
  package convenience init(_ sharedConfiguration: Configuration, canceller: ChildProcessCanceller) {
    var child = sharedConfiguration.child
    child.canceller = canceller
    self.init(
      formats: sharedConfiguration.formats,
      catalogue: Catalogue(
        sources: sharedConfiguration.sources, child: child,
        cacheDirectory: sharedConfiguration.cacheDirectory,
        limits: sharedConfiguration.limits),
      compilesPortably: sharedConfiguration.compilesPortably,
      isolation: sharedConfiguration.isolation)
  }
}
