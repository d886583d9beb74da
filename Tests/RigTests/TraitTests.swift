// TraitTests.swift: stored results of tested plugins. SPDX-License-Identifier: MIT

import LV2Fixtures
import PluginCatalogue
import PluginModel
import RigTestSupport
import Testing

@testable import PluginLoading

@Suite struct TraitTests {
  private let configuration = NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 512)

  /// A library like that of a workshop, with a directory for its cache or without one.
  private func library(_ workshop: RigTestEnvironment, cache: String?) -> PluginLibrary {
    let like = workshop.library.catalogue
    return PluginLibrary(
      formats: workshop.library.formats,
      catalogue: Catalogue(
        sources: like.sources, child: like.child, cacheDirectory: cache, limits: like.limits))
  }

  @Test(arguments: [true, false])
  func `the results of a test reach the node, with a cache or without`(hasCache: Bool) throws {
    let directory = try BundleDirectory(["meddler"])
    let workshop = try RigTestEnvironment(bundlePaths: [directory.bundle("meddler")])
    let library = library(workshop, cache: hasCache ? workshop.path + "/cache" : nil)
    let plugin = try library.find("urn:outboard:test:meddler")
    let node = try library.makePreflightedNode(plugin, configuration)
    #expect(node.generatesAudio)
    #expect(library.preflightRemarks == [])
    // A session tests the plugins of an edit in another library.
    let other = self.library(workshop, cache: hasCache ? workshop.path + "/cache" : nil)
    other.register(library.knownTraits)
    #expect(try other.makeNode(plugin, configuration).generatesAudio)
  }
}
