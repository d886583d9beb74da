// RigPropertyTests.swift: assignment of values to properties, in a rig and in a chain. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct RigPropertyTests {
  private var sampler: PluginDescription {
    var sampler = stereo("sampler")
    sampler.parameters = [Parameter(symbol: "level", name: "Level", maximum: 2)]
    func property(
      _ symbol: String, _ name: String, _ type: PropertyType,
      _ change: (inout Property) -> Void = { _ in }
    ) {
      var property = Property(uri: "urn:test:sampler#\(symbol)", name: name, type: type)
      property.isWritable = true
      change(&property)
      sampler.properties.append(property)
    }
    property("sample", "Sample file", .path)
    property("loop", "Loop", .bool)
    property("voices", "Voices", .int) { property in
      property.minimum = 1
      property.maximum = 16
      property.choices = [.init(value: .int(1), name: "Mono")]
    }
    property("start", "Start", .long)
    property("attack", "Attack", .float) { property in
      property.unit = "s"
      property.maximum = 2
    }
    property("tune", "Tune", .double)
    property("title", "Title", .string)
    property("source", "Source", .uri)
    property("curve", "Curve", .vector) { $0.elementType = .int }
    property("vague", "Vague", .undeclared)
    property("position", "Position", .float) { property in
      property.isWritable = false
      property.isReadable = true
    }
    return sampler
  }

  private func plan(
    _ values: [(String, String)], file: String = "/etc/rig.yaml"
  ) throws -> RigPlan {
    var rig = try rig([sampler], "in -> sampler -> out")
    rig.file = file
    rig.nodes[0].properties = values.enumerated().map {
      RigParameter(symbol: $1.0, text: $1.1, position: SourcePosition(line: 10 + $0, column: 7))
    }
    return try RigPlan(rig, plugins: [sampler], inputChannelCount: 2, outputChannelCount: 2)
  }

  private func mistake(_ symbol: String, _ text: String) throws -> String? {
    do {
      _ = try plan([(symbol, text)])
      return nil
    } catch let error as ManifestError {
      return error.diagnostics.map { "\($0.position?.line ?? 0): \($0.keyPath): \($0.fault)" }
        .joined(separator: "\n")
    }
  }

  // MARK: - Values

  @Test(
    arguments: [
      ("loop", "on", .bool(true)), ("LOOP", "false", .bool(false)),
      ("urn:test:sampler#voices", "8", .int(8)), ("voices", "mono", .int(1)),
      ("start", "9007199254740993", .long(9_007_199_254_740_993)),
      ("attack", "250 ms", .float(0.25)), ("tune", "-1e-9", .double(-1e-9)),
      ("title", " two words ", .string(" two words ")), ("source", "urn:a:b", .uri("urn:a:b")),
      ("curve", "[1, 2, -3]", .vector([.int(1), .int(2), .int(-3)])), ("curve", "", .vector([])),
      ("sample file", "/etc/hostname", .path("/etc/hostname")),
      ("sample", "hostname", .path("/etc/hostname")),
      ("sample", "../etc/./hostname", .path("/etc/hostname")),
    ] as [(String, String, PropertyValue)])
  func `a value has the property's type, and a path is relative to the rig's directory`(
    symbol: String, text: String, value: PropertyValue
  ) throws {
    let plan = try plan([(symbol, text)])
    #expect(plan.nodes[0].properties.map(\.value) == [value])
    #expect(plan.notes == [])
  }

  @Test func `if a property has two values, the last one is used`() throws {
    let plan = try plan([("voices", "3"), ("Voices", "5")])
    #expect(plan.nodes[0].properties == [.init(property: 2, value: .int(5))])
  }

  @Test(
    arguments: [
      ("voices", "40", .int(16), "voices = 40 is above the maximum. Using 16."),
      ("voices", "0", .int(1), "voices = 0 is below the minimum. Using 1."),
      ("voices", "2.6", .int(3), "voices = 2.6 is not a whole number. Using 3."),
      ("start", "1e30", .long(9_223_372_036_854_774_784), ""),
    ] as [(String, String, PropertyValue, String)])
  func `a value out of range is clamped, with a note`(
    symbol: String, text: String, value: PropertyValue, note: String
  ) throws {
    let plan = try plan([(symbol, text)])
    #expect(plan.nodes[0].properties.map(\.value) == [value])
    #expect(plan.notes.count == 1)
    if !note.isEmpty { #expect(plan.notes == ["sampler: \(note)"]) }
  }

  @Test(arguments: [
    ("sample", "no/such.wav", "sample = no/such.wav: no such file: /etc/no/such.wav."),
    ("sample", "/no/such.wav", "sample = /no/such.wav: no such file."),
    ("loop", "maybe", "loop = maybe is not an allowed value. Allowed: on or off."),
    (
      "voices", "many",
      "voices = many is not an allowed value. Allowed: a number from 1 to 16, or Mono."
    ),
    ("attack", "3 dB", "attack = 3 dB is not an allowed value. Allowed: a number up to 2 s."),
    (
      "source", "x",
      "source = x is not an allowed value. Allowed: a URI, such as urn:example:sound."
    ),
    (
      "curve", "1, x",
      "curve = x is not an allowed value. Allowed: numbers with commas between, each a number."
    ),
    ("position", "1", "position is read-only: the plugin sets it."),
    (
      "vague", "1", "vague cannot be set: the plugin's data do not declare its type."
    ),
    ("smaple", "x", "sampler has no property smaple. Did you mean sample?"),
    (
      "zzz", "x",
      "sampler has no property zzz; it has sample, loop, voices, start, attack, tune, title, "
        + "source,"
        + " curve, vague, position."
    ),
    (
      "level", "1", "level is a parameter of sampler, not a property. Write it under parameters."
    ),
  ])
  func `an invalid value is reported with its location`(
    symbol: String, text: String, message: String
  ) throws {
    #expect(try mistake(symbol, text) == "10: nodes.sampler.properties.\(symbol): \(message)")
  }

  @Test func `a property under parameters is refused, and the message names the right key`() throws
  {
    var rig = try rig([sampler], "in -> sampler -> out")
    rig.nodes[0].parameters = [RigParameter(symbol: "loop", text: "on")]
    let error = #expect(throws: ManifestError.self) {
      try RigPlan(rig, plugins: [sampler], inputChannelCount: 2, outputChannelCount: 2)
    }
    #expect(
      error?.diagnostics.map { "\($0.fault)" } == [
        "loop is a property of sampler, not a parameter. Write it under properties."
      ])
  }

  // MARK: - The command line

  private func chain(_ values: (symbol: String, value: String)...) throws -> RigPlan {
    let rig = RigDescription(
      chain: [ChainLink(plugin: "sampler", assignments: values)], plugins: [sampler])
    return try RigPlan(rig, plugins: [sampler], inputChannelCount: 2, outputChannelCount: 2)
  }

  @Test func `on the command line a value sets a property if no parameter has the name`()
    throws
  {
    let plan = try chain(("level", "0.5"), ("loop", "on"), ("sample", "/etc/hostname"))
    #expect(plan.nodes[0].values == [.init(parameter: 0, value: 0.5)])
    #expect(
      plan.nodes[0].properties == [
        .init(property: 1, value: .bool(true)), .init(property: 0, value: .path("/etc/hostname")),
      ])
  }

  @Test(arguments: [
    ("lvel", "sampler has no parameter or property lvel. Did you mean level?"),
    ("voicse", "sampler has no parameter or property voicse. Did you mean voices?"),
    (
      "zzz",
      "sampler has no parameter or property zzz; it has level, sample, loop, voices, start, attack,"
        + " tune, title, source, curve, vague, position."
    ),
  ])
  func `an unknown name is compared with both`(symbol: String, message: String) throws {
    let error = #expect(throws: ManifestError.self) { try chain((symbol, "1")) }
    #expect(error?.diagnostics.map { "\($0.fault)" } == [message])
  }

  // MARK: - The manifest

  @Test func `a rig's properties are texts, and lists for vectors`() throws {
    let rig = try RigReader.read(
      text: """
        outboard: 1
        nodes:
          s:
            plugin: sampler
            properties: {sample: kick.wav, curve: [1, 2], "urn:test:sampler#loop": on}
        connections: [s -> out]
        """, file: "rig.yaml")
    #expect(rig.nodes[0].properties.map(\.symbol) == ["sample", "curve", "urn:test:sampler#loop"])
    #expect(rig.nodes[0].properties.map(\.text) == ["kick.wav", "1, 2", "on"])
  }
}
