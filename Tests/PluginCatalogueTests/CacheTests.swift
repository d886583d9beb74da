// CacheTests.swift: tests of CacheFile.swift and BinaryCoding.swift.
// SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import PluginModel
import Testing

@testable import PluginCatalogue

@Suite struct `The cache` {
  private func bytes(_ fixtures: CatalogueOfFixtures) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: fixtures.cacheDirectory + "/catalogue"))
  }

  @Test func `a description survives writing and reading`() throws {
    let scannedPlugin = Self.everything
    var writer = BinaryEncoder()
    writer.write(scannedPlugin)
    let read = try writer.bytes.withUnsafeBytes { bytes in
      var reader = BinaryDecoder(bytes)
      return try reader.description()
    }
    #expect(read == scannedPlugin)
  }

  @Test func `a truncated description is an error and does not crash`() {
    var writer = BinaryEncoder()
    writer.write(Self.everything)
    for count in 0 ..< writer.bytes.count {
      Array(writer.bytes.prefix(count)).withUnsafeBytes { bytes in
        var reader = BinaryDecoder(bytes)
        #expect(throws: BinaryDecodingError.self) { try reader.description() }
      }
    }
  }

  /// Bytes changed, removed and inserted, the same in every run.
  private static func mutations(
    of good: [UInt8], count: Int, seed: UInt64
  ) -> [(number: Int, bytes: [UInt8])] {
    var random = SplitMix64(state: seed)
    return (0 ..< count).map { number in
      var bytes = good
      for _ in 0 ..< Int.random(in: 1 ... 6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0 ..< bytes.count, using: &random)
        switch Int.random(in: 0 ..< 4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0 ... 255, using: &random)
        // Lengths and counts: zeroes, and the largest values.
        case 1: bytes[place] = Bool.random(using: &random) ? 0xff : 0
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0 ... 255, using: &random), at: place)
        }
      }
      return (number, bytes)
    }
  }

  @Test func `a description of random bytes is an error or a valid description`() {
    var writer = BinaryEncoder()
    writer.write(Self.everything)
    for (number, bytes) in Self.mutations(of: writer.bytes, count: 20_000, seed: 1) {
      bytes.withUnsafeBytes { bytes in
        var reader = BinaryDecoder(bytes)
        guard let read = try? reader.description() else { return }
        var again = BinaryEncoder()
        again.write(read)
        if let module = read.module {
          #expect(Self.isPossible(module), "mutation \(number)")
        }
      }
    }
  }

  private static func isPossible(_ module: ModuleRequirements) -> Bool {
    let isBlock =
      switch module.block {
      case .any: true
      case .fixed(let count), .multiple(of: let count), .maximum(let count):
        ModuleRequirements.blockFrames ~= count
      }
    return isBlock
      && module.smoothingSeconds.allSatisfy {
        0 ... ModuleRequirements.longestSmoothingSeconds ~= $0
      }
  }

  @Test(arguments: [0, -1, 65_537, Int(Int64.max)])
  func `a block that no manifest may contain is an error`(frameCount: Int) {
    var plugin = Self.everything
    plugin.module?.block = .fixed(frameCount: frameCount)
    Self.expectFault(plugin)
  }

  @Test(arguments: [-0.1, .infinity, .nan, 1e300])
  func `a ramp that no manifest may contain is an error`(seconds: Double) {
    var plugin = Self.everything
    plugin.module?.smoothingSeconds = [seconds]
    Self.expectFault(plugin)
  }

  private static func expectFault(_ plugin: PluginDescription) {
    var writer = BinaryEncoder()
    writer.write(plugin)
    writer.bytes.withUnsafeBytes { bytes in
      var reader = BinaryDecoder(bytes)
      #expect(throws: BinaryDecodingError.self) { try reader.description() }
    }
  }

  @Test func `an index of random bytes with a valid digest does not crash`() throws {
    let directory = try CatalogueOfFixtures([])
    let path = directory.cacheDirectory + "/mutated"
    let good = try Self.cacheFile(at: path)
    let indexCount = Int(
      good.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 20, as: UInt32.self) })
    let head = Array(good[..<40])
    let index = Array(good[40 ..< 40 + indexCount])
    let details = good[(40 + indexCount)...]
    for (_, bytes) in Self.mutations(of: index, count: 2_000, seed: 2) {
      var bad = Array(head[..<20])
      var writer = BinaryEncoder()
      writer.write(UInt32(bytes.count))
      writer.write(bytes.withUnsafeBytes { Checksum.of($0) })
      writer.write(UInt64(40 + bytes.count + details.count))
      bad += writer.bytes + bytes + details
      #expect(AtomicFile.write(bad, to: path))
      for unit in CacheFile.read(path) ?? [] {
        for plugin in unit.plugins { _ = plugin.description }
        _ = unit.presets.presets
      }
    }
  }

  /// A file with two bundles, as the cache writes it.
  private static func cacheFile(at path: String) throws -> [UInt8] {
    let plugin = CachedPlugin(ScannedPlugin(everything, rank: 3), source: "test", unit: "/a")
    let units = [
      CachedBundle(
        source: "test", path: "/a", signature: 1,
        directory: DirectoryNames(seconds: 3, nanoseconds: 4, names: ["manifest.ttl"]), fault: "",
        plugins: [plugin, plugin],
        presets: CachedBytes([
          PresetName(plugin: "urn:x", name: "Hall"), PresetName(plugin: "urn:y", name: ""),
        ])),
      CachedBundle(source: "test", path: "/b", signature: 2, fault: "It is broken.", plugins: []),
    ]
    #expect(CacheFile.write(units, to: path))
    #expect(CacheFile.read(path)?.map(\.plugins.count) == [2, 0])
    #expect(CacheFile.read(path)?.map(\.presets.presets.count) == [2, 0])
    #expect(CacheFile.read(path)?.map(\.directory) == units.map(\.directory))
    #expect(CacheFile.read(path)?.first?.presets.presets.first?.name == "Hall")
    return try Array(Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test func `a second start returns the same without reading a bundle`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter", "required_feature"])
    let first = fixtures.open()
    let descriptions = first.entries.map { first.description(of: $0) }
    let unwilling = Catalogue(
      sources: first.sources, child: ChildCommand(executable: "/nowhere", arguments: []),
      cacheDirectory: fixtures.cacheDirectory)
    #expect(unwilling.entries == first.entries)
    #expect(unwilling.faults.isEmpty)
    #expect(unwilling.entries.map { unwilling.description(of: $0) } == descriptions)
    #expect(descriptions.allSatisfy { $0 != nil })
  }

  @Test func `a changed bundle is read again, and a deleted one is removed`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter"])
    #expect(fixtures.open().entries.map(\.name) == ["Chatter", "Witness"])
    let data = fixtures.directory.bundle("chatter") + "/plugin.ttl"
    let text = try String(contentsOfFile: data, encoding: .utf8)
    try text.replacingOccurrences(of: "\"Chatter\"", with: "\"Silence\"").write(
      toFile: data, atomically: false, encoding: .utf8)
    #expect(fixtures.open().entries.map(\.name) == ["Silence", "Witness"])
    fixtures.names = ["witness"]
    #expect(fixtures.open().entries.map(\.name) == ["Witness"])
  }

  @Test func `damage at any byte only causes a new scan`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let reference = fixtures.open()
    let description = reference.description(of: reference.entries[0])
    let good = try bytes(fixtures)
    let path = URL(fileURLWithPath: fixtures.cacheDirectory + "/catalogue")
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

  @Test func `a directory that cannot be written is not an error`() throws {
    let fixtures = try CatalogueOfFixtures(["witness"])
    let source = fixtures.open()
    let catalogue = Catalogue(
      sources: source.sources, child: source.child, cacheDirectory: "/proc/nowhere/at/all")
    #expect(catalogue.entries.map(\.name) == ["Witness"])
  }

  @Test func `one plugin is found without reading the others`() throws {
    let fixtures = try CatalogueOfFixtures(["witness", "chatter"])
    #expect(fixtures.open().entries.count == 2)
    // A bundle that has changed must be read, which this helper process cannot do.
    try "".write(
      toFile: fixtures.directory.bundle("chatter") + "/new.ttl", atomically: false, encoding: .utf8)
    let source = fixtures.open()
    let catalogue = Catalogue(
      sources: source.sources, child: ChildCommand(executable: "/nowhere", arguments: []),
      cacheDirectory: fixtures.cacheDirectory)
    #expect(try catalogue.entry(named: "urn:outboard:test:witness").name == "Witness")
    #expect(try catalogue.entry(named: "witness").identifier == "urn:outboard:test:witness")
    #expect(throws: CatalogueError.self) { try catalogue.entry(named: "Chatter") }
  }

  private static var everything: PluginDescription {
    var plugin = PluginDescription(
      kind: PluginKind(rawValue: "module"), identifier: "org.test.all", name: "Ällés")
    plugin.maker = "Somebody"
    plugin.licence = "MIT"
    plugin.category = "Reverb"
    plugin.summary = "Does it."
    plugin.audioInputs = [AudioPort(symbol: "in", name: "In", group: "main", isMain: true)]
    plugin.audioOutputs = [AudioPort(symbol: "out", name: "Out")]
    plugin.parameters = [
      Parameter(
        symbol: "a", name: "A", unit: "dB", minimum: -3, defaultValue: 1, maximum: 4,
        scale: .logarithmic, choices: [.init(value: 1, name: "one")], isEnumeration: true,
        traits: [.expensive, .strictBounds])
    ]
    plugin.readouts = [Parameter(symbol: "r", name: "R")]
    plugin.cvInputs = [AudioPort(symbol: "cv", name: "CV", restValue: 0.5)]
    plugin.cvOutputs = [AudioPort(symbol: "cv_out", name: "CV Out", group: "g")]
    plugin.properties = properties
    plugin.transportFacts = ["position", "speed"]
    plugin.acceptsMIDI = true
    plugin.producesMIDI = true
    plugin.reportsLatency = true
    plugin.otherPorts = ["atom"]
    plugin.requiredFeatures = ["urn:a"]
    plugin.optionalFeatures = ["urn:b", "urn:c"]
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

  /// One of each type, with a value of it, and one of each other kind.
  private static var properties: [Property] {
    let values: [PropertyValue] = [
      .bool(true), .int(-1), .long(1 << 40), .float(0.5), .double(0.1), .string("sö"),
      .path("/a b"), .uri("urn:u"), .vector([.int(1), .int(2)]),
    ]
    let typed = values.map { value in
      var property = Property(uri: "urn:p#\(value.type)", name: "P", type: value.type)
      property.defaultValue = value
      property.choices = [.init(value: value, name: "this")]
      return property
    }
    var full = Property(uri: "urn:p#full", name: "Full", type: .vector)
    full.summary = "All of it."
    full.unit = "dB"
    full.elementType = .double
    full.minimum = -1.5
    full.maximum = 3
    full.isWritable = true
    full.isReadable = true
    return typed + [full, Property(uri: "urn:p#bare", name: "Bare", type: .undeclared)]
  }
}

/// Numbers that are the same in every run (SplitMix64).
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
