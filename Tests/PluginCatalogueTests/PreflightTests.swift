// PreflightTests.swift: tests of Catalogue+Preflight.swift. SPDX-License-Identifier: MIT

import LV2Fixtures
import PluginCatalogue
import PluginModel
import Testing

@Suite struct `Preflights` {
  @Test(arguments: [
    "hint_features", "chatter", "witness", "undefined_symbol", "not_in_library",
    "required_feature", "instantiate_null", "missing_library", "abort_in_instantiate",
    "exit_in_instantiate", "hang_in_instantiate", "crash_in_run", "crash_in_cleanup",
    "hang_in_constructor", "exit_in_constructor", "abort_in_descriptor",
    "meddler", "writes_to_descriptors",
  ])
  func `a plugin that fails its preflight has its own message`(name: String) throws {
    let fixtures = try CatalogueOfFixtures([name])
    let catalogue = fixtures.open()
    let entry = try #require(catalogue.entries.first)
    let outcome = catalogue.preflight(entry)
    let message = outcome.refusal.map(withoutLocation) ?? "runs"
    #expect(message == (try fixtures.directory.expectation(name)))
  }

  @Test(
    arguments: [("hint_features", []), ("meddler", .generatesAudio)] as [(String, Preflight.Traits)]
  )
  func `process-wide changes by a plugin in its preflight are recorded without a message`(
    name: String, traits: Preflight.Traits
  ) throws {
    let fixtures = try CatalogueOfFixtures([name])
    let first = fixtures.open()
    let result = first.result(of: first.entries[0])
    #expect(result.outcome == .passed && result.remarks == [])
    #expect(result.traits.isSuperset(of: traits) && result.traits.isEmpty == traits.isEmpty)
    let changes = traits.isEmpty ? "" : "the floating-point mode and the locale"
    #expect(result.traits.changes.text == changes)
    // The result is stored.
    let second = fixtures.open(child: ChildCommand(executable: "/nowhere", arguments: []))
    #expect(second.result(of: second.entries[0]) == result)
    #expect(second.traits(of: second.entries[0]) == result.traits)
  }

  @Test func `a crash has the stage and the location at which it happened`() throws {
    let fixtures = try CatalogueOfFixtures(["crash_in_run"])
    let catalogue = fixtures.open()
    guard case .failed(let stage, let message) = catalogue.preflight(catalogue.entries[0]) else {
      Issue.record("it survived")
      return
    }
    #expect(stage == .run)
    #expect(message.contains(" (in plugin.so+0x"))
  }

  @Test func `a plugin with a recorded crash is not tested again`() throws {
    let fixtures = try CatalogueOfFixtures(["hang_in_constructor"])
    let first = fixtures.open()
    let outcome = first.preflight(first.entries[0])
    // With a time limit of a day, a second preflight would not return.
    let second = fixtures.open { $0.preflightSeconds = 86_400 }
    #expect(second.preflight(second.entries[0]) == outcome)
  }

  @Test func `a preflight result is used until the plugin changes`() throws {
    let fixtures = try CatalogueOfFixtures(["crash_in_run"])
    let first = fixtures.open()
    #expect(first.cachedPreflight(first.entries[0]) == nil)
    let outcome = first.preflight(first.entries[0])
    let second = fixtures.open()
    #expect(second.cachedPreflight(second.entries[0]) == outcome)
    let status = try Tool.run(
      "/usr/bin/touch", [fixtures.directory.bundle("crash_in_run") + "/plugin.so"])
    #expect(status == 0)
    let third = fixtures.open()
    #expect(third.cachedPreflight(third.entries[0]) == nil)
  }
  @Test
  func `a plugin is tested at the rate and length of its use, and each has its own result`()
    throws
  {
    let fixtures = try CatalogueOfFixtures(["crash_at_96000"])
    let first = fixtures.open()
    let message = try fixtures.directory.expectation("crash_at_96000")
    let fast = Preflight.Conditions(sampleRateHz: 96_000, maximumFrameCount: 512)
    let short = Preflight.Conditions(sampleRateHz: 44_100, maximumFrameCount: 100)
    let shortMessage = message.replacing("512", with: "100")
      .replacing("ran at 96000", with: "ran at 44100")
    #expect(first.preflight(first.entries[0]) == .passed)
    #expect(first.cachedPreflight(first.entries[0]) == .passed)
    for (conditions, message) in [(fast, message), (short, shortMessage)] {
      guard case .failed(.run, let found) = first.preflight(first.entries[0], at: conditions) else {
        Issue.record("it survived")
        continue
      }
      #expect(withoutLocation(found) == message)
    }
    #expect(first.preflight(first.entries[0]) == .passed)
    // A helper that is not a program would fail to start, if the second program tested anything.
    let second = fixtures.open(child: ChildCommand(executable: "/nowhere", arguments: []))
    for (conditions, refusal) in [(.standard, nil), (fast, message), (short, shortMessage)] {
      let found = second.preflight(second.entries[0], at: conditions).refusal
      #expect(found.map(withoutLocation) == refusal)
    }
    #expect(second.cachedPreflight(second.entries[0])?.refusal.map(withoutLocation) == message)
  }

  /// Returns a message without the location in the library, which depends on the compiler.
  private func withoutLocation(_ message: String) -> String {
    message.replacing(/\ \(in plugin\.so\+0x\w+( \(\w+\))?\)/, with: "")
  }
}
