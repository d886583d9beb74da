// SourceFormat.swift: source files as a format of the host. SPDX-License-Identifier: MIT

import FoundationEssentials
import ModuleBuild
import ModuleHost
package import PluginCatalogue
package import PluginModel

/// Source files and directories, which become native modules.
package struct SourceFormat: PluginFormat {
  /// Creates the format.
  package init() {}

  package let kind = PluginKind.module
  /// Nil: `ModuleFormat` has the presets of a module.
  package var presets: (any PresetFormat)? { nil }
  package var helpers: [FormatHelper] {
    [FormatHelper(argument: DescribeHelper.argument) { DescribeHelper.run() }]
  }

  /// Whether a path is that of a source file, or of a directory. [any]
  package func describes(path: String) -> Bool {
    !path.hasSuffix(".yaml") && ModuleSource.isSource(path)
  }

  /// Whether a path is that of a file that a compiler accepts; false for directories. [any]
  package func compiles(path: String) -> Bool {
    (try? ModuleSource(path: path)).map { !$0.isDirectory } ?? false
  }

  /// Compiles the source, if necessary, and describes it. [main]
  ///
  /// - Throws: `ModuleBuildError`, `ManifestError`.
  package func describe(_ path: String, in context: FormatContext) throws -> DescribedPlugin {
    let module = try SourceModule(
      path, cache: context.catalogue.cacheDirectory ?? SourceModule.cacheDirectory,
      child: context.catalogue.child, isPortable: context.compilesPortably)
    return DescribedPlugin(SourceBuild(module: module, product: try module.build()))
  }
}

/// A source with its product.
struct SourceBuild: BuiltPlugin {
  let module: SourceModule
  let product: SourceModule.Product

  var plugin: PluginDescription { product.plugin }
  var path: String { module.path }
  var absolutePath: String { module.absolutePath }
  var note: String? { product.note }
  var savedSeconds: Double? {
    FileStamps(product.built.dependencies).lastChange?.timeIntervalSince1970
  }
  var traits: Preflight.Traits { module.traits(of: product) }

  func replacingLibraryPath(_ message: String) -> String {
    module.replacingLibraryPath(message, product)
  }

  func preflight(
    at conditions: Preflight.Conditions, onSlow: (() -> Void)?
  ) -> (refusal: String?, remarks: [String]) {
    module.preflight(of: product, at: conditions, onSlow: onSlow)
  }

  func follow(
    in configuration: NodeConfiguration, onUpdate: @escaping @Sendable () -> Void
  ) -> (any BuildFollower)? {
    SourceWatcher(module, product, in: configuration, onUpdate: onUpdate)
  }
}
