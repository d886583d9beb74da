// SourceModule.swift: a source file or directory used as a plugin. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
import ModuleBuild
import ModuleHost
import NativeModules
package import PluginCatalogue
package import PluginModel

/// A source file or directory that is compiled and described like an installed module.
///
/// It may be used on any thread, by one at a time.
package struct SourceModule: Sendable {
  /// The source.
  let source: ModuleSource
  /// The cache of compiled modules.
  private var builder: ModuleBuilder
  /// Runs preflight.
  private var child: ChildCommand

  /// The result of a build.
  package struct Product: Sendable {
    /// The module, described like an installed one.
    package let plugin: PluginDescription
    /// The library and the files that it depends on.
    let built: BuiltModule
    /// The note about inferred values; nil if all keys are given.
    package let note: String?
  }

  /// The path as the user wrote it.
  package var path: String { source.path }
  /// The absolute path, which identifies the source.
  package var absolutePath: String { source.absolutePath }

  /// Opens a source.
  ///
  /// - Throws: `ModuleBuildError`.
  init(
    _ path: String, cache: String, child: ChildCommand, isPortable: Bool = false
  ) throws(ModuleBuildError) {
    source = try ModuleSource(path: path)
    self.child = child
    builder = ModuleBuilder(
      cache: cache, headers: InstallPaths.moduleHeaders, kit: InstallPaths.moduleKit,
      isPortable: isPortable, watch: child.canceller.map(Self.watch))
  }

  /// Marks a build in the cache as recently used. [any]
  func keep(_ built: BuiltModule) { builder.retain(built) }

  /// Returns the source with compilers and preflight that can be cancelled. [any]
  func cancellable(by canceller: ChildProcessCanceller) -> SourceModule {
    var module = self
    module.child.canceller = canceller
    module.builder.watch = Self.watch(canceller)
    return module
  }

  private static func watch(_ canceller: ChildProcessCanceller) -> CompilerCancellation {
    CompilerCancellation(begins: { canceller.register($0) }, ends: { canceller.unregister($0) })
  }

  /// Compiles the source if necessary, and describes it.
  ///
  /// - Throws: `ModuleBuildError` with the messages of the compiler, or `ManifestError` with the errors of the
  /// manifest.
  package func build() throws -> Product {
    while true {
      // Files can have been added to or removed from a directory.
      let source = try ModuleSource(path: source.path)
      let manifest = try SourceManifest(for: source)
      let built = try builder.build(source, manifest: manifest.text, flags: manifest.flags)
      // A file saved meanwhile can be compiled with the old manifest. Its code would then use parameters and channels
      // that it does not get.
      guard try SourceManifest(for: ModuleSource(path: source.path)).text == manifest.text else {
        continue
      }
      return try describe(built, source, manifest)
    }
  }

  private func describe(
    _ built: BuiltModule, _ source: ModuleSource, _ manifest: SourceManifest
  ) throws -> Product {
    var manifest = manifest
    if manifest.omitsRequired, let described = description(of: built) {
      manifest = try SourceManifest(for: source, described: described)
    }
    if (try? String(contentsOfFile: built.manifest, encoding: .utf8)) != manifest.text {
      try manifest.text.write(toFile: built.manifest, atomically: true, encoding: .utf8)
    }
    let plugin = try ModuleManifestReader.describe(manifest: built.manifest)
    return Product(plugin: plugin, built: built, note: manifest.note)
  }

  /// Returns the channels and parameters that the compiled code reports; nil if it reports nothing.
  ///
  /// The result is stored with the library, and is deleted with it.
  private func description(of built: BuiltModule) -> String? {
    let file = "\(built.directory)/description"
    if let known = try? String(contentsOfFile: file, encoding: .utf8) { return known }
    guard let described = DescribeHelper.text(ofLibrary: built.library, by: child) else {
      return nil
    }
    try? described.write(toFile: file, atomically: true, encoding: .utf8)
    return described
  }

  /// Returns why a product failed preflight in a helper process; nil if it passed.
  package func preflightError(
    of product: Product, at conditions: Preflight.Conditions = .standard
  ) -> String? {
    preflight(of: product, at: conditions).refusal
  }

  /// Runs preflight in a helper process.
  ///
  /// Returns why it failed (nil if it passed), and notes.
  ///
  /// The result is stored with the library, and is deleted with it. Calls `onSlow` once if the preflight takes long.
  package func preflight(
    of product: Product, at conditions: Preflight.Conditions = .standard,
    onSlow: (() -> Void)? = nil
  ) -> (refusal: String?, remarks: [String]) {
    let catalogue = catalogue(of: product)
    do {
      let entry = try catalogue.entry(named: product.plugin.identifier)
      let result = catalogue.result(of: entry, at: conditions, onSlow: onSlow)
      return (result.outcome.refusal.map { replacingLibraryPath($0, product) }, result.remarks)
    } catch {
      return (replacingLibraryPath("\(error)", product), [])
    }
  }

  /// Returns the behaviour of a product during preflight; empty if it was not tested.
  func traits(of product: Product) -> Preflight.Traits {
    let catalogue = catalogue(of: product)
    guard let entry = try? catalogue.entry(named: product.plugin.identifier) else { return [] }
    return catalogue.traits(of: entry)
  }

  private func catalogue(of product: Product) -> Catalogue {
    Catalogue(
      sources: [.module(manifest: product.built.manifest)], child: child,
      cacheDirectory: product.built.directory, limits: .source)
  }

  /// Returns why a product cannot replace an active one and take its state; nil if it can.
  func stateTransferError(
    of product: Product, from playing: BuiltModule, at conditions: Preflight.Conditions
  ) -> String? {
    guard
      ModuleLibrary.canTransferState(path: product.built.library, of: playing.library),
      !StateTransferHelper.stateTransferSucceeds(
        from: playing.manifest, to: product.built.manifest, at: conditions, by: child)
    else { return nil }
    return
      "\(product.plugin.name) crashed or hung in `restore` with the state that the previous"
      + " version saved. Let `restore` reject unknown state, or restart the session."
  }

  /// The default directory of compiled modules.
  static var cacheDirectory: String {
    Catalogue.defaultCacheDirectory ?? FileManager.default.temporaryDirectory.path
      + "/outboard-\(getuid())"
  }
}
