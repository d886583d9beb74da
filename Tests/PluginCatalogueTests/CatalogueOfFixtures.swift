// CatalogueOfFixtures.swift: a catalogue of fixture bundles, with the helper program of the tests. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginCatalogue

/// Fixture bundles with a separate cache directory.
final class CatalogueOfFixtures {
  let directory: BundleDirectory
  let cacheDirectory: String
  /// Names of the bundles, in order of precedence.
  var names: [String]

  init(_ names: [String]) throws {
    directory = try BundleDirectory(names)
    cacheDirectory = directory.path + "/cache"
    self.names = names
  }

  /// A catalogue, as a program creates it at its start.
  func open(
    child: ChildCommand = child, _ adjust: (inout ChildLimits) -> Void = { _ in }
  ) -> Catalogue {
    var limits = ChildLimits()
    // The time limit in the fixtures' messages. It does not slow down other tests, because the
    // limit restarts with every bundle.
    limits.scanSeconds = 3
    limits.preflightSeconds = 3
    adjust(&limits)
    let units = names.map { directory.bundle($0) }
    let source = PluginSource(
      name: "lv2", units: { BundleList(units) }, isDivisible: true,
      scan: { _, _, _ in fatalError("bundles are read in the child") },
      preflight: { _, _, _ in fatalError("plugins are tried in the child") })
    return Catalogue(
      sources: [source], child: child, cacheDirectory: cacheDirectory, limits: limits)
  }

  /// The program `catalogue-child`, which is built next to the tests.
  static let child = ChildCommand(
    executable: BuiltProgram.path("catalogue-child"), arguments: [ScanHelper.argument])
}
