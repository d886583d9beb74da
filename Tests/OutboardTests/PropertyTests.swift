// PropertyTests.swift: properties, control voltage and tempo on the command line. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Properties on the command line` {
  private let bundles: BundleDirectory
  private let scratch: TemporaryDirectory

  init() throws {
    bundles = try BundleDirectory(["clock", "properties", "voltage"])
    scratch = try TemporaryDirectory(lv2: bundles.path)
  }

  private func sound(_ name: String) throws -> [Float] {
    try #require(FloatWave(path: scratch.path(name))?.channels.first)
  }

  @Test func `info lists them, their types and ranges`() throws {
    let text = try expectSuccess(["info", "Properties"], in: scratch).text
    for line in [
      #/ +count +int +3 +-10 +10 +set, reported +Count\n/#, #/ +curve +double list +set +Curve\n/#,
      #/ +gain +float +0 +-60 +12.5 +dB +set +Gain\n/#, #/ +told +int +reported +Told\n/#,
      #/ +count: 0 = None, 10 = Many\n/#, #/ +Transport +position\n/#,
    ] { #expect(text.contains(line), "\(text)") }
    let voltage = try expectSuccess(["info", "Voltage"], in: scratch).text
    #expect(
      voltage.contains(
        #/CV inputs\n +SYMBOL +DEFAULT +NAME +GROUP\n +pitch +0\.25 +Pitch *\n +accent +3 +Accent *\n/#
      ),
      "\(voltage)")
    #expect(voltage.contains(#/CV outputs\n +level +Level *\n/#))
  }

  private struct Plugin: Decodable {
    struct Property: Decodable {
      let symbol: String
      let uri: String
      let type: String
      let elementType: String?
      let maximum: Double?
      let writable: Bool
    }
    struct Port: Decodable {
      let symbol: String
      let `default`: Float?
    }
    let properties: [Property]
    let cvInputs: [Port]
    let cvOutputs: [Port]
    let transportFacts: [String]
  }

  @Test func `info and list have them as JSON`() throws {
    let info = try expectSuccess(["info", "Properties", "--json"], in: scratch)
    let plugin = try JSONDecoder().decode(Plugin.self, from: info.output)
    #expect(plugin.properties.count == 12)
    let curve = try #require(plugin.properties.first { $0.symbol == "curve" })
    #expect(curve.uri == "urn:outboard:test:properties#curve")
    #expect(curve.type == "vector")
    #expect(curve.elementType == "double")
    #expect(plugin.properties.first { $0.symbol == "gain" }?.maximum == 12.5)
    let list = try expectSuccess(["list", "--kind", "lv2", "--json"], in: scratch)
    let plugins = try JSONDecoder().decode([Plugin].self, from: list.output)
    #expect(plugins.map(\.properties.count) == [0, 12, 0])
    #expect(plugins.map { $0.cvInputs.map(\.default) } == [[], [], [0.25, 3]])
    #expect(plugins.map { $0.cvOutputs.map(\.default) } == [[], [], [nil]])
    #expect(plugins[0].transportFacts.contains("beatsPerMinute"))
  }

  @Test func `a property is in effect at the first frame`() throws {
    try scratch.write("x", to: "sound.bin")
    _ = try expectSuccess(
      [
        "render", "Properties", "gain=-3.5", "file=sound.bin", "--duration", "0.1", "--tail", "0",
        "--format", "float", "-o", "out.wav",
      ], in: scratch)
    #expect(try sound("out.wav") == [Float](repeating: -3.5, count: 4_800))
  }

  @Test func `a rig sets properties, and finds files in its own directory`() throws {
    try scratch.write("x", to: "rigs/kick.bin")
    let rig = """
      outboard: 1
      nodes:
        p:
          plugin: urn:outboard:test:properties
          properties: {gain: 2, file: kick.bin, curve: [1, 2], Some words: two words}
      connections: [p -> out]
      """
    try scratch.write(rig, to: "rigs/test.yaml")
    let render = [
      "render", "--rig", "rigs/test.yaml", "--duration", "0.01", "--tail", "0", "--format", "float",
      "-o", "out.wav",
    ]
    _ = try expectSuccess(render, in: scratch)
    #expect(try sound("out.wav") == [Float](repeating: 2, count: 480))
    try FileManager.default.removeItem(atPath: scratch.path("rigs/kick.bin"))
    let result = try Program.run(["check", "rigs/test.yaml"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error
        == "outboard: rigs/test.yaml:5: nodes.p.properties.file: file = kick.bin: no such file:"
        + " \(scratch.path("rigs/kick.bin")).\n")
  }

  @Test func `a misspelt name is compared with parameters and properties`() throws {
    let result = try Program.run(
      ["render", "Properties", "wrods=x", "--duration", "1", "-o", "out.wav"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error
        == "outboard: Properties has no parameter or property wrods. Did you mean words?\n")
    #expect(try scratch.files() == [])
  }

  // MARK: - Tempo

  @Test func `the tempo of the command line overrides that of the rig`() throws {
    try scratch.addTone(channels: 1)
    let rig = """
      outboard: 1
      transport: {tempo: 77, time_signature: 3/4}
      nodes: {c: {plugin: "urn:outboard:test:clock"}}
      connections: [in -> c -> out]
      """
    try scratch.write(rig, to: "test.yaml")
    func first(_ options: String...) throws -> Float? {
      _ = try expectSuccess(
        [
          "render", "--rig", "test.yaml", "-i", "in.wav", "--format", "float", "--tail", "0",
          "--force", "-o", "out.wav",
        ] + options, in: scratch)
      return try sound("out.wav").first
    }
    // Speed 1, and the tempo in thousands.
    #expect(try first() == 1_077_000)
    #expect(try first("--tempo", "96") == 1_096_000)
    let result = try Program.run(
      ["render", "--rig", "test.yaml", "-i", "in.wav", "-o", "o.wav", "--tempo", "0"], in: scratch)
    #expect(result.status == 2)
    #expect(
      result.error.contains("--tempo 0 is out of range (1 to 999 beats a minute)."))
    let meter = try Program.run(
      ["render", "--rig", "test.yaml", "-i", "in.wav", "-o", "o.wav", "--time-signature", "3"],
      in: scratch)
    #expect(meter.status == 2)
    #expect(
      meter.error.contains("\"3\" is not a time signature. Write beats per bar and beat unit"))
  }

  // MARK: - Control voltage

  @Test func `voltage is connected by name, and an unconnected input has its default`() throws {
    try scratch.addTone(channels: 1)
    let rig = """
      outboard: 1
      nodes:
        a: {plugin: "urn:outboard:test:voltage"}
        b: {plugin: "urn:outboard:test:voltage"}
      connections:
        - in -> a
        - in -> b -> out
        - a:level -> b:pitch
      """
    try scratch.write(rig, to: "test.yaml")
    _ = try expectSuccess(
      [
        "render", "--rig", "test.yaml", "-i", "in.wav", "--format", "float", "--tail", "0", "-o",
        "out.wav",
      ], in: scratch)
    let (input, output) = (try sound("in.wav"), try sound("out.wav"))
    #expect(output == input.map { $0 + 2 * $0 })
    let graph = try expectSuccess(["graph", "test.yaml"], in: scratch).text
    #expect(graph.contains("a/1: b1 unconnected unconnected -> "), "\(graph)")
  }
}
