// InPlaceTests.swift: modules that may use one buffer for input and output. SPDX-License-Identifier: MIT

import ModuleTestSupport
import Testing

@Suite struct InPlaceTests {
  private static let modules = ModuleManifest.shipped.filter {
    (try? ModuleManifest(module: $0).canRunInPlace) ?? true
  }

  @Test(arguments: modules)
  func `shared memory for input and output gives the same output`(module: String) throws {
    let library = try ModuleLibrary(module)
    let input = [Signals.noise(9_000, seed: 21), Signals.noise(9_000, peak: 0.3, seed: 22)]
    let changes = library.manifest.parameters.map { parameter in
      ModuleInstance.Change(
        at: 4_001, parameter.symbol, (parameter.minimum + 3 * parameter.maximum) / 4)
    }
    let apart = try ModuleInstance(library).render(input, blocks: [100, 64], changes: changes)
    let together = try ModuleInstance(library, isInPlace: true)
      .render(input, blocks: [100, 64], changes: changes)
    #expect(apart == together)
    #expect(apart.contains { $0.contains { $0 != 0 } })
  }
}
