// SourceModule.swift: a source taken for a plugin. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ModuleBuild
import ModuleHost
package import PluginCatalogue
package import PluginModel

/// A source file or folder, compiled and described like an installed module.
///
/// May be used on any thread, on one at a time.
package struct SourceModule: Sendable {
  /// What is compiled.
  let source: ModuleSource
  /// Where compiled things are kept.
  private var builder: ModuleBuilder
  /// What tries a module before it is let in.
  private var child: ChildCommand

  /// What came of a build.
  package struct Product: Sendable {
    /// The module, as any other one.
    package let plugin: PluginDescription
    /// The library, and the files that it depends on.
    let built: BuiltModule
    /// What was told from the code, as one sentence; nil where all is said.
    package let note: String?
  }

  /// The source as the user names it.
  package var path: String { source.path }
  /// The same wherever the process is, to tell sources apart by.
  package var absolutePath: String { source.absolutePath }

  /// A source that is there.
  ///
  /// - Throws: `ModuleBuildError`.
  init(
    _ path: String, cache: String, child: ChildCommand, isPortable: Bool = false
  ) throws(ModuleBuildError) {
    source = try ModuleSource(path: path)
    self.child = child
    builder = ModuleBuilder(
      cache: cache, headers: InstallPaths.moduleHeaders, kit: InstallPaths.moduleKit,
      isPortable: isPortable, watch: child.ender.map(Self.watch))
  }

  /// Has a build stay in the cache as one that was used just now. [any]
  func keep(_ built: BuiltModule) { builder.keep(built) }

  /// The same, whose compilers and trials can be ended early. [any]
  func endable(by ender: ChildProcessCanceller) -> SourceModule {
    var module = self
    module.child.ender = ender
    module.builder.watch = Self.watch(ender)
    return module
  }

  private static func watch(_ ender: ChildProcessCanceller) -> CompilerCancellation {
    CompilerCancellation(begins: { ender.enter($0) }, ends: { ender.leave($0) })
  }

  /// Compiles it, unless that has been done, and describes it.
  ///
  /// - Throws: `ModuleBuildError` with the compiler's own messages, or `ManifestError` with what is
  ///   wrong with what is said of the module.
  package func build() throws -> Product {
    while true {
      // Files may have come to a folder, or gone.
      let source = try ModuleSource(path: source.path)
      let manifest = try SourceManifest(for: source)
      let built = try builder.build(source, manifest: manifest.text, flags: manifest.flags)
      // What was saved meanwhile may have been compiled, though the manifest was that of before: it would
      // read parameters, and write channels, that it is not given.
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
    if manifest.leavesAway, let told = whatIsTold(by: built) {
      manifest = try SourceManifest(for: source, told: told)
    }
    if (try? String(contentsOfFile: built.manifest, encoding: .utf8)) != manifest.text {
      try manifest.text.write(toFile: built.manifest, atomically: true, encoding: .utf8)
    }
    let plugin = try ModuleManifestReader.describe(manifest: built.manifest)
    return Product(plugin: plugin, built: built, note: manifest.note)
  }

  /// What the compiled code says of its channels and parameters; nil where it says nothing.
  ///
  /// It is kept beside the library, and goes with it.
  private func whatIsTold(by built: BuiltModule) -> String? {
    let file = "\(built.folder)/told"
    if let known = try? String(contentsOfFile: file, encoding: .utf8) { return known }
    guard let told = DescribeHelper.text(ofLibrary: built.library, by: child) else { return nil }
    try? told.write(toFile: file, atomically: true, encoding: .utf8)
    return told
  }

  /// Why a product did not come through its trial, which is made in a child process; nil if it did.
  package func trialRefusal(
    of product: Product, at conditions: Preflight.Conditions = .usual
  ) -> String? {
    trial(of: product, at: conditions).refusal
  }

  /// Tries a product in a child process: why it did not come through, nil if it did, and what is worth
  /// knowing of it, one sentence each.
  ///
  /// The result is remembered with the library, and goes with it. `onSlow` is called once while the trial
  /// takes longer than a person expects.
  package func trial(
    of product: Product, at conditions: Preflight.Conditions = .usual, onSlow: (() -> Void)? = nil
  ) -> (refusal: String?, remarks: [String]) {
    let catalogue = catalogue(of: product)
    do {
      let entry = try catalogue.entry(named: product.plugin.identifier)
      let result = catalogue.result(of: entry, at: conditions, onSlow: onSlow)
      return (result.outcome.refusal.map { inUserWords($0, product) }, result.remarks)
    } catch {
      return (inUserWords("\(error)", product), [])
    }
  }

  /// What a product was seen to do in its trials; nothing for one that was not tried.
  func traits(of product: Product) -> Preflight.Traits {
    let catalogue = catalogue(of: product)
    guard let entry = try? catalogue.entry(named: product.plugin.identifier) else { return [] }
    return catalogue.traits(of: entry)
  }

  private func catalogue(of product: Product) -> Catalogue {
    Catalogue(
      sources: [.module(manifest: product.built.manifest)], child: child,
      cacheFolder: product.built.folder, limits: .source)
  }

  /// Why a product cannot take the place of one that plays, whose state it would be given; nil if it can.
  func handOverRefusal(
    of product: Product, from playing: BuiltModule, at conditions: Preflight.Conditions
  ) -> String? {
    guard
      ModuleLibrary.takesState(path: product.built.library, of: playing.library),
      !StateTransferHelper.isSurvived(
        from: playing.manifest, to: product.built.manifest, at: conditions, by: child)
    else { return nil }
    return
      "\(product.plugin.name) crashed or hung in `restore` with the state that the previous"
      + " version saved. Let `restore` reject unknown state, or restart the session."
  }

  /// Where compiled things are kept where nothing else is said.
  static var cacheFolder: String {
    Catalogue.defaultCacheFolder ?? FileManager.default.temporaryDirectory.path
      + "/outboard-\(getuid())"
  }
}
