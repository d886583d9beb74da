// SourceModule.swift: a source taken for a plugin. SPDX-License-Identifier: MIT

package import Catalogue
import Foundation
import ModuleBuild
import ModuleHost
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
      cache: cache, headers: Installation.moduleHeaders, kit: Installation.moduleKit,
      isPortable: isPortable, watch: child.ender.map(Self.watch))
  }

  /// Has a build stay in the cache as one that was used just now. [any]
  func keep(_ built: BuiltModule) { builder.keep(built) }

  /// The same, whose compilers and trials can be ended early. [any]
  func endable(by ender: ChildEnder) -> SourceModule {
    var module = self
    module.child.ender = ender
    module.builder.watch = Self.watch(ender)
    return module
  }

  private static func watch(_ ender: ChildEnder) -> CompilerWatch {
    CompilerWatch(begins: { ender.enter($0) }, ends: { ender.leave($0) })
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
    guard let told = DescriptionChild.text(ofLibrary: built.library, by: child) else { return nil }
    try? told.write(toFile: file, atomically: true, encoding: .utf8)
    return told
  }

  /// Why a product did not come through its trial, which is made in a child process; nil if it did.
  ///
  /// It is remembered beside the library, and goes with it.
  package func trialRefusal(
    of product: Product, at conditions: Trial.Conditions = .usual
  ) -> String? {
    let catalogue = Catalogue(
      sources: [.module(manifest: product.built.manifest)], child: child,
      cacheFolder: product.built.folder)
    do {
      let entry = try catalogue.entry(named: product.plugin.identifier)
      return catalogue.trial(entry, at: conditions).refusal.map { inUserWords($0, product) }
    } catch {
      return inUserWords("\(error)", product)
    }
  }

  /// Why a product cannot take the place of one that plays, whose state it would be given; nil if it can.
  func handOverRefusal(
    of product: Product, from playing: BuiltModule, at conditions: Trial.Conditions
  ) -> String? {
    guard
      ModuleLibrary.takesState(path: product.built.library, of: playing.library),
      !HandOverChild.isSurvived(
        from: playing.manifest, to: product.built.manifest, at: conditions, by: child)
    else { return nil }
    return
      "\(product.plugin.name) crashed, or did not come back, with what `save` of the code before gave"
      + " to `restore`; have that refuse what is not its own, or start the run anew."
  }

  /// What is said of the library is said of the source that it was made from.
  package func inUserWords(_ sentence: String, _ product: Product) -> String {
    let words = sentence.replacingOccurrences(of: product.built.library, with: source.path)
      .replacingOccurrences(of: product.built.manifest, with: source.path)
    return hint(on: words).map { "\(words) \($0)" } ?? words
  }

  /// What would mend it, where the code shows that.
  private func hint(on words: String) -> String? {
    if words.contains("does not export a function named `process`") {
      guard let shape else {
        if source.texts.contains(where: { $0.mentions("lv2_descriptor") }) {
          return
            "It looks like an LV2 plugin: compiled, in a folder with its manifest.ttl under ~/.lv2, it is named"
            + " by its URI."
        }
        return "How code of another shape becomes one, docs/porting.md tells."
      }
      return
        "It looks like \(shape.name): docs/porting.md shows the lines that make a module of it, after"
        + " #include <outboard/\(shape.header)>."
    }
    if words.contains("`create` returned NULL"),
      source.texts.contains(where: { $0.mentions("OUTBOARD_FRAMES") })
    {
      return "OUTBOARD_FRAMES wants the length of its frames in the comment, too:"
        + " `// outboard: block: {fixed: 480}`."
    }
    if words.contains("failed to map segment") {
      return
        "Where that is on a file system that runs no programs (noexec), XDG_CACHE_HOME names another."
    }
    if words.contains(" where its manifest has "),
      !FileManager.default.fileExists(atPath: source.manifestPath)
    {
      return "The manifest is the comment that begins with `// outboard:`."
    }
    return nil
  }

  /// What the code seems to have been written for, by the names in it; nil for what is not known.
  private var shape: (name: String, header: String)? {
    let known = [
      ("ladspa_descriptor", "LADSPA", "ladspa.h"), ("AudioEffectX", "VST2", "vst2.h"),
      ("AudioProcessor", "JUCE", "juce.h"), ("AUEffectBase", "an Audio Unit", "au.h"),
      ("AUKernelBase", "an Audio Unit", "au.h"), ("FAUSTFLOAT", "Faust", "faust.h"),
      ("buildUserInterface", "Faust", "faust.h"),
    ]
    let texts = source.texts
    return known.first { name, _, _ in texts.contains { $0.mentions(name) } }.map { ($0.1, $0.2) }
  }

  /// Where compiled things are kept where nothing else is said.
  static var cacheFolder: String {
    Catalogue.defaultCacheFolder ?? NSTemporaryDirectory() + "/outboard-\(getuid())"
  }
}
