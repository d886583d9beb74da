// PluginLibrary+Clone.swift: a copy of a plugin library for another thread. SPDX-License-Identifier: MIT

package import PluginCatalogue

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
  }

  /// Returns the data for libraries like this one. [main]
  package var likeness: Configuration {
    Configuration(
      formats: formats, sources: catalogue.sources, child: catalogue.child,
      cacheDirectory: catalogue.cacheDirectory,
      limits: catalogue.limits, compilesPortably: compilesPortably)
  }

  /// Creates a library for the current thread. [any]
  ///
  /// - Parameters:
  ///   - likeness: the plugins that it finds.
  ///   - ender: ends the helper processes that it starts.
  package convenience init(_ likeness: Configuration, ender: ChildProcessCanceller) {
    var child = likeness.child
    child.ender = ender
    self.init(
      formats: likeness.formats,
      catalogue: Catalogue(
        sources: likeness.sources, child: child, cacheDirectory: likeness.cacheDirectory,
        limits: likeness.limits),
      compilesPortably: likeness.compilesPortably)
  }
}
