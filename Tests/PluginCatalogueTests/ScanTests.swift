// ScanTests.swift: tests of ScanHelperPool.swift, ScanHelper.swift and ChildProcess.swift. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginCatalogue
import Testing

@Suite struct `Scanning` {
  private static let deadly = [
    "dynamic_manifest_aborts", "dynamic_manifest_eats_memory", "dynamic_manifest_exits",
    "dynamic_manifest_hangs",
  ]

  @Test(arguments: deadly)
  func `a bundle that crashes the reader is skipped, and others are read`(name: String) throws {
    let fixtures = try CatalogueOfFixtures(["witness", name, "chatter"])
    let catalogue = fixtures.open()
    #expect(catalogue.entries.map(\.name) == ["Chatter", "Witness"])
    #expect(catalogue.faults.map(\.message) == [try fixtures.directory.expectation(name)])
  }

  @Test func `a bundle that crashed the reader is not read again until it changes`() throws {
    let name = "dynamic_manifest_hangs"
    let fixtures = try CatalogueOfFixtures([name])
    #expect(fixtures.open().faults.count == 1)
    // With a time limit of a day, a second scan would not return.
    let again = fixtures.open { $0.scanSeconds = 86_400 }
    #expect(again.faults.map(\.message) == [try fixtures.directory.expectation(name)])
    try FileManager.default.removeItem(atPath: fixtures.directory.bundle(name) + "/plugin.so")
    #expect(fixtures.open().faults.isEmpty)
  }

  @Test func `one child process is enough for many bundles that crash it`() throws {
    let fixtures = try CatalogueOfFixtures(Self.deadly + ["witness"])
    let catalogue = fixtures.open { $0.scanHelperCount = 1 }
    #expect(catalogue.faults.count == Self.deadly.count)
    #expect(catalogue.entries.count == 1)
  }

  @Test func `state that a bundle leaves in the child is not attributed to the next one`() throws {
    let fixtures = try CatalogueOfFixtures([
      "dynamic_manifest_leaves_a_thread", "dynamic_manifest_dawdles", "witness",
    ])
    let catalogue = fixtures.open { $0.scanHelperCount = 1 }
    #expect(catalogue.faults.map(\.message) == [])
    #expect(catalogue.entries.map(\.name) == ["Witness"])
  }

  @Test func `file sizes near the integer limit do not overflow the sum`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    // If the file system permits the size: three of these are more than 64 bits can represent.
    for number in 0 ..< 3 {
      let path = fixtures.directory.bundle("witness") + "/hole\(number)"
      try Data().write(to: URL(fileURLWithPath: path))
      if truncate(path, Int.max) != 0 { print("not run: no file here can be as large") }
    }
    #expect(fixtures.open().entries.map(\.name) == ["Witness"])
  }

  @Test func `a plugin whose Turtle is broken is listed with file and line`() throws {
    let fixtures = try CatalogueOfFixtures(["broken_turtle"])
    let entry = try #require(fixtures.open().entries.first)
    let expected = try fixtures.directory.expectation("broken_turtle")
    #expect(entry.refusal?.hasPrefix(expected) == true, "\(entry.refusal ?? "none")")
  }

  @Test func `a bundle whose manifest is broken is an error with file and line`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let bundle = fixtures.directory.bundle("witness")
    try "@prefix lv2: <http://lv2plug.in/ns/lv2core#> .\n<urn:x> a ,, .\n".write(
      toFile: bundle + "/manifest.ttl", atomically: true, encoding: .utf8)
    let message = try #require(fixtures.open().faults.first?.message)
    #expect(message.hasPrefix("\(bundle): syntax error in manifest.ttl, line 2 ("))
  }

  @Test func `of two plugins with one URI the newer is used, with a note`() throws {
    let fixtures = try CatalogueOfFixtures(["duplicate_first", "duplicate_second"])
    for names in [fixtures.names, fixtures.names.reversed()] {
      fixtures.names = names
      let catalogue = fixtures.open()
      #expect(catalogue.entries.map(\.name) == ["Duplicate second"])
      let (second, first) = (
        fixtures.directory.bundle("duplicate_second"), fixtures.directory.bundle("duplicate_first")
      )
      #expect(
        catalogue.duplicates.map(\.message) == [
          "<urn:outboard:test:duplicate> is installed twice. Using \(second), ignoring \(first)."
        ])
    }
  }

  @Test func `a bundle that was not scanned for lack of a child is scanned the next time`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let lacking = fixtures.open(child: ChildCommand(executable: "/nowhere/at/all", arguments: []))
    #expect(lacking.entries.isEmpty && lacking.faults.count == 1)
    let next = fixtures.open()
    #expect(next.entries.count == 1 && next.faults.isEmpty)
    // A plugin is not to blame either.
    let outcome = fixtures.open(
      child: ChildCommand(executable: "/nowhere/at/all", arguments: [])
    ).preflight(next.entries[0])
    #expect(
      outcome
        == .skipped(
          message: "\(next.entries[0].name): the preflight could not start a helper process"
            + " (No such file or directory)."))
    #expect(fixtures.open().preflight(next.entries[0]) == .passed)
  }

  @Test func `a child that cannot be started is reported, and the scan completes`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let bundle = fixtures.directory.bundle("witness")
    let source = PluginSource(
      name: "lv2", units: { [bundle] }, scan: { _, _, _ in }, preflight: { _, _, _ in [] })
    let catalogue = Catalogue(
      sources: [source], child: ChildCommand(executable: "/nowhere/at/all", arguments: []),
      cacheDirectory: nil)
    #expect(
      catalogue.faults.map(\.message) == [
        "Skipped \(bundle): the scan could not start a helper process "
          + "(No such file or directory)."
      ])
  }
}
