// PluginLibrary.swift: from the name of a plugin to a running node. SPDX-License-Identifier: MIT

import AudioFiles
import Builtins
import CRealtime
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

/// Finds plugins by any name that a person may use, and makes nodes of them.
///
/// Belongs to the main thread, as lilv does.
package final class PluginLibrary {
  /// What is installed.
  package let catalogue: Catalogue
  /// Libraries in use, by path, so that several instances share one.
  private var libraries: [String: (library: ModuleLibrary, keepsGlobals: Bool)] = [:]
  /// LV2 bundles in use, by path: a chain of eight plugins of one bundle reads its manifest once.
  private var worlds: [String: LV2World] = [:]
  /// What was compiled, by the manifest of the product.
  private(set) var sources: [String: (module: SourceModule, product: SourceModule.Product)] = [:]

  /// What trials found that is worth knowing of plugins which came through them, one sentence each. [main]
  package internal(set) var trialRemarks: [String] = []

  /// Whether a plugin that came through a trial is not looked at again, though its files may change: for
  /// programs that make it thousands of times.
  package var remembersTrials = false
  var survivors: [Preflight.Conditions: Set<String>] = [:]

  /// Whether sources are compiled for any machine of this kind, rather than for this very one.
  let compilesPortably: Bool
  /// What plugins were seen to do in their trials, by their place and identifier.
  package typealias KnownTraits = [[String]: Preflight.Traits]
  package internal(set) var knownTraits: KnownTraits = [:]

  /// A library of all that is installed, of which nothing is read until it is needed. [main]
  ///
  /// - Parameters:
  ///   - catalogue: what is installed.
  ///   - compilesPortably: whether sources are compiled so that they run on other machines, too.
  package init(
    catalogue: Catalogue = Catalogue(sources: PluginSource.installed),
    compilesPortably: Bool = false
  ) {
    self.catalogue = catalogue
    self.compilesPortably = compilesPortably
  }

  // MARK: - Finding

  /// What a name stands for: a path, a built-in's word, or anything the catalogue resolves. [main]
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

  /// All that is installed, by name, that which cannot be used too. [main]
  package var installed: [PluginDescription] {
    catalogue.entries.compactMap { catalogue.description(of: $0) }
  }

  /// Where a plugin is known and what is found out about it is remembered; nil for what belongs to the
  /// program. [main]
  func catalogue(of plugin: PluginDescription) -> Catalogue? {
    switch plugin.kind {
    case .builtin: return nil
    case .lv2: return catalogue
    case .module:
      // Of two installed modules with one id the catalogue knows the first alone.
      let isListed =
        ModuleDirectories.manifests.contains(plugin.location)
        && (try? catalogue.entry(named: plugin.identifier))?.unit == plugin.location
      return isListed ? catalogue : loose(plugin.location)
    }
  }

  // MARK: - Making

  /// Makes an instance; its parameters are at the defaults of the description that is given. [main]
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

  /// As `makeNode`, once the plugin has come through its trial at the node's rate and length. [main]
  package func makeTriedNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration
  ) throws -> any Node {
    try checkByTrial([plugin], at: Preflight.Conditions(configuration))
    return try makeNode(plugin, configuration)
  }

  /// Whether a plugin's instances would share variables, so that each has a copy of the library. [main]
  package func keepsGlobals(_ plugin: PluginDescription) -> Bool {
    guard plugin.kind == .module, (try? library(plugin.library)) != nil else { return false }
    return libraries[plugin.library]?.keepsGlobals ?? false
  }

  /// The library at a path, or a copy of it where instances would share variables.
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

  /// Whether an instance may have to be replaced by another one while it plays: its source is compiled
  /// again, or it is given another file. [main]
  package func mayBeReplaced(_ plugin: PluginDescription) -> Bool {
    plugin.kind == .module && (!plugin.properties.isEmpty || source(of: plugin) != nil)
  }

  /// What a plugin was compiled from; nil for any other one. [main]
  package func source(of plugin: PluginDescription) -> SourceModule? {
    sources[plugin.location]?.module
  }

  /// The same, with what it became. [main]
  package func compiled(
    _ plugin: PluginDescription
  ) -> (module: SourceModule, product: SourceModule.Product)? {
    sources[plugin.location]
  }

  /// What was told from the code of a plugin that is a source, as one sentence. [main]
  package func note(of plugin: PluginDescription) -> String? {
    sources[plugin.location]?.product.note
  }

  /// What is said of the library of a plugin that is a source, as said of the source. [main]
  package func inUserWords(_ sentence: String, of plugin: PluginDescription) -> String {
    guard let (module, product) = sources[plugin.location] else { return sentence }
    return module.inUserWords(sentence, product)
  }

  /// Takes what was compiled, so that nodes can be made of it. [main]
  package func adopt(
    _ product: SourceModule.Product, of module: SourceModule
  ) -> PluginDescription {
    sources[product.plugin.location] = (module, product)
    return product.plugin
  }

  /// Forgets a plugin that was compiled and is used no longer: nodes of it live on. [main]
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

  /// A catalogue of one module that is not installed, with a cache of its own.
  ///
  /// Its path is made absolute, as what is remembered is remembered by it.
  private func loose(_ manifest: String) -> Catalogue {
    Catalogue(
      sources: [.module(manifest: URL(fileURLWithPath: manifest).path)], child: catalogue.child,
      cacheFolder: catalogue.cacheFolder.map { $0 + "/loose" })
  }
}

/// Why a plugin that was named cannot be used.
package enum PluginLibraryError: Error, Equatable, CustomStringConvertible {
  /// It was listed, and is no longer there.
  case vanished(name: String)
  /// It cannot be hosted.
  case refused(name: String, reason: String)
  /// A library has no manifest.
  case noManifest(library: String)

  /// One sentence for people.
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
