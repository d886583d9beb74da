// ModuleFormat.swift: native modules as a format of the host. SPDX-License-Identifier: MIT

import AudioFiles
import FoundationEssentials
import Glibc
package import Manifests
import ModuleHost
package import PluginCatalogue
package import PluginModel

/// Native modules in `ModuleDirectories`, and libraries and manifests at any path.
package struct ModuleFormat: PluginFormat {
  /// Creates the format.
  package init() {}

  package let kind = PluginKind.module
  package let extensions = ["so", "yaml"]
  package var source: PluginSource? { .modules }
  package func makeLoader() -> (any PluginLoader)? { ModuleLoader() }
  package var helpers: [FormatHelper] {
    [FormatHelper(argument: StateTransferHelper.argument) { StateTransferHelper.run() }]
  }

  /// Returns a source of the plugin alone, with a separate cache, if it is not installed. [main]
  package func source(of plugin: PluginDescription, isListed: () -> Bool) -> PluginSource? {
    if ModuleDirectories.manifests.contains(plugin.location), isListed() { return nil }
    // The path is made absolute, because it is the key of stored results.
    return .module(manifest: URL(fileURLWithPath: plugin.location).path)
  }

  /// Describes the module of a manifest or library. [main]
  ///
  /// - Throws: `ModuleError`, `ManifestError` or `PluginLibraryError`.
  package func describe(_ path: String, in context: FormatContext) throws -> DescribedPlugin {
    if path.hasSuffix(".yaml") {
      return DescribedPlugin(try ModuleManifestReader.describe(manifest: path))
    }
    try ModuleLibrary.check(path: path)
    guard let manifest = ModuleDirectories.manifest(forLibrary: path) else {
      throw PluginLibraryError.noManifest(library: path)
    }
    var description = try ModuleManifestReader.describe(manifest: manifest)
    description.library = path
    description.refusal = nil
    return DescribedPlugin(description)
  }
}

extension PluginSource {
  /// Native modules in `ModuleDirectories`.
  package static let modules = PluginSource.modules { ModuleDirectories.manifests }

  /// The single module of a manifest at any path.
  package static func module(manifest: String) -> PluginSource { .modules { [manifest] } }

  private static func modules(_ manifests: @escaping @Sendable () -> [String]) -> PluginSource {
    PluginSource(
      name: PluginKind.module.rawValue, units: { BundleList(manifests()) },
      files: { [$0] + (ModuleDirectories.library(forManifest: $0).map { [$0] } ?? []) },
      namesComeFirst: true,
      scan: { unit, _, event in
        let description = try ModuleManifestReader.describe(manifest: unit)
        event(.opened)
        event(.found(ScannedPlugin(description)))
      },
      preflight: { try ModulePreflight.run($0, at: $1, stage: $2) },
      probe: { try ModulePreflight.maker($0, $1) })
  }
}

/// Creates nodes of modules, and loads each library only once. [main]
private final class ModuleLoader: PluginLoader {
  /// Loaded libraries by path, shared by all instances.
  private var libraries: [String: (library: ModuleLibrary, keepsGlobals: Bool)] = [:]

  func makeNode(
    _ plugin: PluginDescription, _ configuration: NodeConfiguration, _ traits: Preflight.Traits
  ) throws -> any Node {
    let node = try ModuleNode(
      try library(plugin.library), plugin, configuration, readAudioFile: AudioFileLoader.read)
    node.generatesAudio = traits.contains(.generatesAudio)
    return node
  }

  func sharesVariables(_ plugin: PluginDescription) -> Bool {
    guard (try? library(plugin.library)) != nil else { return false }
    return libraries[plugin.library]?.keepsGlobals ?? false
  }

  func evict(_ plugin: PluginDescription) { libraries[plugin.library] = nil }

  /// Returns the library at a path, or a copy if instances would share variables.
  private func library(_ path: String) throws -> ModuleLibrary {
    if let (library, keepsGlobals) = libraries[path] {
      return keepsGlobals ? try ModuleLibrary(copyOf: library) : library
    }
    let library = try ModuleLibrary(path: path)
    libraries[path] = (library, library.keepsGlobals)
    return library
  }
}

extension ModuleManifestReader {
  /// Reads a manifest and finds its library; a missing library makes the module unusable. [main]
  package static func describe(manifest: String) throws(ManifestError) -> PluginDescription {
    var description = try read(path: manifest)
    description.location = manifest
    if let library = ModuleDirectories.library(forManifest: manifest) {
      description.library = library
      description.reportsLatency = ModuleLibrary.exportsLatency(path: library)
    } else {
      let name = URL(fileURLWithPath: manifest).deletingPathExtension().lastPathComponent
      description.refusal =
        "\(manifest) has no library. Put \(name).so or lib\(name).so in the same directory."
    }
    return description
  }
}
