// PluginLibrary.swift: plugin lookup and creation of nodes. SPDX-License-Identifier: MIT

import AudioFiles
import Builtins
import CRealtime
package import ErrorModel
import FilePlayback
import FileRecording
import FoundationEssentials
import Glibc
import LV2Host
import Metering
import ModuleBuild
import ModuleHost
package import PluginCatalogue
package import PluginModel

/// Finds plugins by any of their names, and creates nodes of them.
///
/// Belongs to the main thread, as lilv does.
package final class PluginLibrary {
  /// The installed plugins.
  package let catalogue: Catalogue
  /// Loaded libraries by path, shared by all instances.
  private var libraries: [String: (library: ModuleLibrary, keepsGlobals: Bool)] = [:]
  /// Loaded LV2 bundles by path, so that each manifest is read only once.
  private var worlds: [String: LV2World] = [:]
  /// Compiled sources by the manifest of the product.
  private(set) var sources: [String: (module: SourceModule, product: SourceModule.Product)] = [:]

  /// Notes about plugins that passed preflight. [main]
  package internal(set) var trialRemarks: [String] = []

  /// Whether a preflight result stays valid even if files change, for programs that create a plugin thousands of
  /// times.
  package var remembersTrials = false
  var survivors: [Preflight.Conditions: Set<String>] = [:]

  /// Whether sources are compiled for any CPU of this type, not only for this one.
  let compilesPortably: Bool
  /// The behaviour of plugins during preflight, by location and identifier.
  package typealias KnownTraits = [[String]: Preflight.Traits]
  /// The traits that preflight found.
  package internal(set) var knownTraits: KnownTraits = [:]

  /// Creates a library of all installed plugins, which are read on demand. [main]
  ///
  /// - Parameters:
  ///   - catalogue: the installed plugins.
  ///   - compilesPortably: whether sources are compiled to run on other computers, too.
  package init(
    catalogue: Catalogue = Catalogue(sources: PluginSource.installed),
    compilesPortably: Bool = false
  ) {
    self.catalogue = catalogue
    self.compilesPortably = compilesPortably
  }

  // MARK: - Finding

  /// Returns the plugin for a path, a built-in name, or a name in the catalogue. [main]
  ///
  /// - Throws: `CatalogueError`, `ModuleError`, `ManifestError` or `PluginLibraryError`.
  package func find(_ name: String) throws -> PluginDescription {
    if Self.isPath(name) { return try describe(path: name) }
    if let builtin = Builtin(rawValue: name) { return builtin.description(channelCount: 2) }
    let entry = try catalogue.entry(named: name)
    guard let description = catalogue.description(of: entry) else {
      throw PluginLibraryError.vanished(name: entry.name)
    }
    return description
  }

  /// Returns all installed plugins by name, including unusable ones. [main]
  package var installed: [PluginDescription] {
    catalogue.entries.compactMap { catalogue.description(of: $0) }
  }

  /// Returns the catalogue entry that stores results about a plugin; nil for built-in nodes. [main]
  func catalogue(of plugin: PluginDescription) -> Catalogue? {
    switch plugin.kind {
    case .builtin: return nil
    case .lv2: return catalogue
    case .module:
      // If two installed modules have the same id, the catalogue contains only the first.
      let isListed =
        ModuleDirectories.manifests.contains(plugin.location)
        && (try? catalogue.entry(named: plugin.identifier))?.unit == plugin.location
      return isListed ? catalogue : loose(plugin.location)
    }
  }

  // MARK: - Making

  /// Creates an instance with the default values of the description. [main]
  package func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws -> any Node {
    let traits = traits(of: plugin)
    if traits.changes.contains(.floatingPoint) { crealtime_begin_checking_x87() }
    ForeignCode.note(traits.changes, by: plugin.name)
    switch plugin.kind {
    case .lv2:
      let world = try world(ofBundle: plugin.location)
      let installed = try world.plugin(plugin.identifier)
      let node = try LV2Node(installed, configuration, world: world)
      node.writesInputs = traits.contains(.writesInputs)
      node.soundsAlone = traits.contains(.soundsAlone)
      for (index, (wanted, given)) in zip(plugin.parameters, installed.description.parameters)
        .enumerated() where wanted.defaultValue != given.defaultValue
      {
        node.setParameter(index, to: wanted.defaultValue)
      }
      return node
    case .module:
      do {
        let node = try ModuleNode(
          try library(plugin.library), plugin, configuration, readSound: AudioFileLoader.read)
        node.writesInputs = traits.contains(.writesInputs)
        node.soundsAlone = traits.contains(.soundsAlone)
        return node
      } catch {
        guard let source = sources[plugin.location] else { throw error }
        let sentence = source.module.inUserWords("\(error)", source.product)
        throw PluginLibraryError.refused(name: plugin.name, reason: sentence)
      }
    case .builtin:
      if let request = RecorderSettings(plugin) { return RecorderNode(request, configuration) }
      if let request = PlayerSettings(plugin) { return PlayerNode(request, configuration) }
      if let request = MeterSettings(plugin) { return MeterNode(request, configuration) }
      guard let builtin = Builtin(rawValue: plugin.identifier) else {
        throw PluginLibraryError.vanished(name: plugin.name)
      }
      return builtin.makeNode(channelCount: plugin.audioInputs.count, configuration)
    }
  }

  /// Creates an instance after the plugin has passed preflight at the rate and block length of the node. [main]
  package func makeTriedNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws -> any Node {
    try checkByTrial([plugin], at: Preflight.Conditions(configuration))
    return try makeNode(plugin, configuration)
  }

  /// Whether instances would share variables, so that each needs a copy of the library. [main]
  package func keepsGlobals(_ plugin: PluginDescription) -> Bool {
    guard plugin.kind == .module, (try? library(plugin.library)) != nil else { return false }
    return libraries[plugin.library]?.keepsGlobals ?? false
  }

  /// Returns the library at a path, or a copy if instances would share variables.
  private func library(_ path: String) throws -> ModuleLibrary {
    if let (library, keepsGlobals) = libraries[path] {
      return keepsGlobals ? try ModuleLibrary(copyOf: library) : library
    }
    let library = try ModuleLibrary(path: path)
    libraries[path] = (library, library.keepsGlobals)
    return library
  }

  private func world(ofBundle path: String) throws -> LV2World {
    if let world = worlds[path] { return world }
    let world = try LV2World()
    world.loadBundle(path)
    worlds[path] = world
    return world
  }

  // MARK: - Sources

  /// Whether an instance can be replaced during a session, because its source is recompiled or its file changes.
  /// [main]
  package func mayBeReplaced(_ plugin: PluginDescription) -> Bool {
    plugin.kind == .module && (!plugin.properties.isEmpty || source(of: plugin) != nil)
  }

  /// Returns the source of a plugin; nil if it is not a source module. [main]
  package func source(of plugin: PluginDescription) -> SourceModule? {
    sources[plugin.location]?.module
  }

  /// Returns the source with its product. [main]
  package func compiled(
    _ plugin: PluginDescription
  ) -> (module: SourceModule, product: SourceModule.Product)? {
    sources[plugin.location]
  }

  /// Returns the note about values inferred from the source code. [main]
  package func note(of plugin: PluginDescription) -> String? {
    sources[plugin.location]?.product.note
  }

  /// Returns a message about the library of a source module as a message about the source. [main]
  package func inUserWords(_ sentence: String, of plugin: PluginDescription) -> String {
    guard let (module, product) = sources[plugin.location] else { return sentence }
    return module.inUserWords(sentence, product)
  }

  /// Adds a compiled product, so that nodes can be created. [main]
  package func adopt(
    _ product: SourceModule.Product, of module: SourceModule
  ) -> PluginDescription {
    sources[product.plugin.location] = (module, product)
    return product.plugin
  }

  /// Removes a compiled product that is not used any more; its nodes stay valid. [main]
  package func forget(_ plugin: PluginDescription) {
    sources[plugin.location] = nil
    libraries[plugin.library] = nil
  }

  // MARK: - Paths

  /// A path has a slash or an extension of ours; a URI has a scheme.
  package static func isPath(_ name: String) -> Bool {
    if name.contains("://") || name.hasPrefix("urn:") { return false }
    return name.contains("/") || name.hasSuffix(".so") || name.hasSuffix(".yaml")
      || ModuleSource.isSource(name)
  }

  private func describe(path: String) throws -> PluginDescription {
    if path.hasSuffix(".yaml") { return try described(manifest: path) }
    if ModuleSource.isSource(path) {
      let module = try SourceModule(
        path, cache: catalogue.cacheFolder ?? SourceModule.cacheFolder, child: catalogue.child,
        isPortable: compilesPortably)
      return adopt(try module.build(), of: module)
    }
    try ModuleLibrary.check(path: path)
    guard let manifest = ModuleDirectories.manifest(forLibrary: path) else {
      throw PluginLibraryError.noManifest(library: path)
    }
    var description = try described(manifest: manifest)
    description.library = path
    description.refusal = nil
    return description
  }

  private func described(manifest: String) throws -> PluginDescription {
    try ModuleManifestReader.describe(manifest: manifest)
  }

  /// Creates a catalogue of one module that is not installed, with a separate cache.
  ///
  /// The path is made absolute, because it is the key of stored results.
  private func loose(_ manifest: String) -> Catalogue {
    Catalogue(
      sources: [.module(manifest: URL(fileURLWithPath: manifest).path)], child: catalogue.child,
      cacheFolder: catalogue.cacheFolder.map { $0 + "/loose" })
  }
}

/// Why a plugin that was named cannot be used.
package enum PluginLibraryError: Equatable {
  /// It was listed, and is no longer there.
  case vanished(name: String)
  /// The plugin cannot be hosted.
  case refused(name: String, reason: String)
  /// A library without manifest.
  case noManifest(library: String)

  /// The message to the user.
  package var description: String {
    switch self {
    case .vanished(let name):
      return "\(name) is no longer installed. Run `outboard list` to see all plugins."
    case .refused(let name, let reason):
      return reason.contains(name) ? reason : "\(name) cannot be used: \(reason)"
    case .noManifest(let library):
      let name = URL(fileURLWithPath: library).deletingPathExtension().lastPathComponent
      return "\(library) has no manifest. Put \(name).yaml in the same directory, with its id,"
        + " name and channel counts."
    }
  }
}

extension PluginLibraryError: HostError {
  /// All errors of the library are errors of the request.
  package var kind: ErrorKind { .usage }
}
