// PluginLibrary+Clone.swift: a library of the same things for another thread. SPDX-License-Identifier: MIT

package import PluginCatalogue

extension PluginLibrary {
  /// What makes another library that finds the same; may cross threads, which libraries may not.
  package struct Configuration: Sendable {
    fileprivate let sources: [PluginSource]
    fileprivate let child: ChildCommand
    fileprivate let cacheFolder: String?
    fileprivate let limits: ChildLimits
    fileprivate let compilesPortably: Bool
  }

  /// What makes libraries like this one. [main]
  package var likeness: Configuration {
    Configuration(
      sources: catalogue.sources, child: catalogue.child, cacheFolder: catalogue.cacheFolder,
      limits: catalogue.limits, compilesPortably: compilesPortably)
  }

  /// A library like another one, for the thread that makes it. [any]
  ///
  /// - Parameters:
  ///   - likeness: what the other one finds.
  ///   - ender: ends the children that it starts.
  package convenience init(_ likeness: Configuration, ender: ChildProcessCanceller) {
    var child = likeness.child
    child.ender = ender
    self.init(
      catalogue: Catalogue(
        sources: likeness.sources, child: child, cacheFolder: likeness.cacheFolder,
        limits: likeness.limits),
      compilesPortably: likeness.compilesPortably)
  }
}
