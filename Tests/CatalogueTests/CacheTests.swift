// CacheTests.swift: tests of CacheFile.swift, Record.swift and Signature.swift. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginModel
import Testing

@testable import Catalogue

@Suite struct `The cache` {
  private func bytes(_ fixtures: CatalogueOfFixtures) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: fixtures.cacheFolder + "/catalogue"))
  }

  @Test func `a description comes back as it was written`() throws {
    let finding = Self.everything
    var writer = RecordWriter()
    writer.write(finding)
    let read = try writer.bytes.withUnsafeBytes { bytes in
      var reader = RecordReader(bytes)
      return try reader.description()
    }
    #expect(read == finding)
  }

  @Test func `a description cut anywhere is a fault and no crash`() {
    var writer = RecordWriter()
    writer.write(Self.everything)
    for count in 0 ..< writer.bytes.count {
      Array(writer.bytes.prefix(count)).withUnsafeBytes { bytes in
        var reader = RecordReader(bytes)
        #expect(throws: RecordFault.self) { try reader.description() }
      }
    }
  }

  @Test func `a second start gives the same without reading a bundle`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter", "required_feature"])
    let first = fixtures.open()
    let descriptions = first.entries.map { first.description(of: $0) }
    let unwilling = Catalogue(
      sources: first.sources, child: ChildCommand(executable: "/nowhere", arguments: []),
      cacheFolder: fixtures.cacheFolder)
    #expect(unwilling.entries == first.entries)
    #expect(unwilling.faults.isEmpty)
    #expect(unwilling.entries.map { unwilling.description(of: $0) } == descriptions)
    #expect(descriptions.allSatisfy { $0 != nil })
  }

  @Test func `a bundle that changed is read again, and one that is gone is forgotten`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter"])
    #expect(fixtures.open().entries.map(\.name) == ["Chatter", "Witness"])
    let data = fixtures.folder.bundle("chatter") + "/plugin.ttl"
    let text = try String(contentsOfFile: data, encoding: .utf8)
    try text.replacingOccurrences(of: "\"Chatter\"", with: "\"Silence\"").write(
      toFile: data, atomically: false, encoding: .utf8)
    #expect(fixtures.open().entries.map(\.name) == ["Silence", "Witness"])
    fixtures.names = ["witness"]
    #expect(fixtures.open().entries.map(\.name) == ["Witness"])
  }

  @Test func `damage anywhere costs time and nothing else`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let reference = fixtures.open()
    let description = reference.description(of: reference.entries[0])
    let good = try bytes(fixtures)
    let path = URL(fileURLWithPath: fixtures.cacheFolder + "/catalogue")
    for position in stride(from: 0, to: good.count, by: max(1, good.count / 40)) {
      var bad = good
      bad[position] ^= 0x5a
      try bad.write(to: path)
      let catalogue = fixtures.open()
      #expect(catalogue.entries == reference.entries)
      #expect(catalogue.entries.map { catalogue.description(of: $0) } == [description])
    }
    for count in [0, 1, 31, 32, good.count / 2, good.count - 1] {
      try good.prefix(count).write(to: path)
      #expect(fixtures.open().entries == reference.entries)
    }
  }

  @Test func `a folder that cannot be written is no hindrance`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let source = fixtures.open()
    let catalogue = Catalogue(
      sources: source.sources, child: source.child, cacheFolder: "/proc/nowhere/at/all")
    #expect(catalogue.entries.map(\.name) == ["Witness"])
  }

  @Test func `one plugin is found without a look at the others`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter"])
    #expect(fixtures.open().entries.count == 2)
    // A bundle that has changed meanwhile would have to be read, which this child cannot.
    try "".write(
      toFile: fixtures.folder.bundle("chatter") + "/new.ttl", atomically: false, encoding: .utf8)
    let source = fixtures.open()
    let catalogue = Catalogue(
      sources: source.sources, child: ChildCommand(executable: "/nowhere", arguments: []),
      cacheFolder: fixtures.cacheFolder)
    #expect(try catalogue.entry(named: "urn:outboard:test:witness").name == "Witness")
    #expect(try catalogue.entry(named: "witness").identifier == "urn:outboard:test:witness")
    #expect(throws: CatalogueError.self) { try catalogue.entry(named: "Chatter") }
  }

  private static var everything: PluginDescription {
    var plugin = PluginDescription(kind: .module, identifier: "org.test.all", name: "Ällés")
    plugin.maker = "Somebody"
    plugin.licence = "MIT"
    plugin.category = "Reverb"
    plugin.summary = "Does it."
    plugin.audioInputs = [AudioPort(symbol: "in", name: "In", group: "main")]
    plugin.audioOutputs = [AudioPort(symbol: "out", name: "Out")]
    plugin.parameters = [
      Parameter(
        symbol: "a", name: "A", unit: "dB", minimum: -3, defaultValue: 1, maximum: 4,
        scale: .logarithmic, choices: [.init(value: 1, name: "one")], isEnumeration: true)
    ]
    plugin.readouts = [Parameter(symbol: "r", name: "R")]
    plugin.acceptsMIDI = true
    plugin.producesMIDI = true
    plugin.reportsLatency = true
    plugin.otherPorts = ["cv"]
    plugin.requiredFeatures = ["urn:a"]
    plugin.optionalFeatures = ["urn:b", "urn:c"]
    plugin.presets = ["loud"]
    var module = ModuleRequirements()
    module.block = .multiple(of: 64)
    module.smoothingSeconds = [0.02]
    module.canRunInPlace = true
    plugin.module = module
    plugin.location = "/a"
    plugin.library = "/a/b.so"
    plugin.refusal = "It will not."
    return plugin
  }
}
