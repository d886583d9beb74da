// ChainTests.swift: rigs from the arguments of a command line. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct ChainTests {
  private func parsed(_ words: String...) throws -> [String] {
    try ChainLink.parse(words).map { link in
      ([link.plugin] + link.assignments.map { "\($0.symbol)|\($0.value)" })
        .joined(separator: " ")
    }
  }

  @Test func `values belong to the plugin before them, in order`() throws {
    #expect(
      try parsed("reverb", "mix=30", "decay=2.5 s", "gain", "gain=-6", "gain=-7")
        == ["reverb mix|30 decay|2.5 s", "gain gain|-6 gain|-7"])
    #expect(try parsed() == [])
  }

  @Test func `only the first equals sign separates, and a value may be empty`() throws {
    #expect(try parsed("x", "path=/a=b=c", "name=", "_a-b2==") == ["x path|/a=b=c name| _a-b2|="])
  }

  @Test(arguments: [
    "http://example.org/plugin?version=2", "urn:x:y?a=b", "./odd=name.so", "/tmp/a=b.c", "=5",
    "2x=3", "a b=3", "-6=dB",
  ])
  func `a word without a valid symbol before its equals sign names a plugin`(word: String) throws {
    #expect(try parsed(word) == [word])
  }

  @Test func `a value before any plugin is refused with an example`() {
    let error = #expect(throws: ChainError.self) { try ChainLink.parse(["mix=30", "reverb"]) }
    #expect(
      error?.description
        == "mix=30 has no plugin. Write values after their plugin, as in"
        + " `reverb mix=30`.")
  }

  @Test(arguments: ["dB", "%", "Hz", "semitones", "ms"])
  func `a value and a unit in separate words are refused with the joined spelling`(unit: String) {
    let error = #expect(throws: ChainError.self) {
      try ChainLink.parse(["reverb", "gain=-6", unit, "delay"])
    }
    #expect(
      error?.description
        == "\(unit) is separated from gain=-6. Write value and unit as one word: gain=-6\(unit)."
    )
  }

  @Test func `a word that looks like a unit is a plugin after a complete value`() throws {
    #expect(try parsed("reverb", "mode=hall", "dB") == ["reverb mode|hall", "dB"])
    #expect(try parsed("dB", "gain=6 dB", "ms") == ["dB gain|6 dB", "ms"])
  }

  // MARK: - The rig

  private func chain(_ plugins: PluginDescription...) -> RigDescription {
    RigDescription(
      chain: plugins.map { ChainLink(plugin: $0.identifier, assignments: []) }, plugins: plugins)
  }

  private func route(_ rig: RigDescription) -> [String] {
    rig.connections.map { "\(end($0.from)) -> \(end($0.to))" }
  }

  private func end(_ end: ConnectionEndpoint) -> String {
    switch end.location {
    case .input: "IN"
    case .output: "OUT"
    case .node(let name): name
    }
  }

  @Test func `effects are between the input and the output`() {
    let rig = chain(stereo("gate"), stereo("reverb"))
    #expect(route(rig) == ["IN -> gate", "gate -> reverb", "reverb -> OUT"])
    #expect(!rig.inputs.isEmpty && !rig.outputs.isEmpty && !rig.isOffline)
    #expect(rig.name == "gate -> reverb")
  }

  @Test func `a generator at the start needs no input, a meter at the end no output`() {
    let source = plugin("tone", 0, 2)
    let meter = plugin("meter", 2, 0)
    #expect(route(chain(source, stereo("eq"))) == ["tone -> eq", "eq -> OUT"])
    #expect(chain(source, stereo("eq")).inputs.isEmpty)
    #expect(route(chain(stereo("eq"), meter)) == ["IN -> eq", "eq -> meter"])
    #expect(chain(stereo("eq"), meter).outputs.isEmpty)
    #expect(route(chain(source, meter)) == ["tone -> meter"])
    #expect(chain(source, meter).isOffline)
  }

  @Test func `a generator or a meter in the middle is refused by name`() {
    let plugins = [stereo("eq"), plugin("tone", 0, 2)]
    let error = #expect(throws: ManifestError.self) {
      try RigPlan(
        chain(plugins[0], plugins[1]), plugins: plugins, inputChannelCount: 2,
        outputChannelCount: 2)
    }
    #expect(error?.description == "tone has no audio inputs, so eq cannot feed it.")
  }

  @Test func `a repeated plugin gets a number, and not the name of another`() {
    let rig = chain(stereo("Gain"), stereo("Gain 2"), stereo("Gain"), stereo("Gain"))
    #expect(rig.nodes.map(\.name) == ["Gain", "Gain 2", "Gain 3", "Gain 4"])
    #expect(route(rig).first == "IN -> Gain")
    #expect(Set(route(rig)).count == 5)
  }

  @Test func `plugins named in and out are ordinary nodes`() throws {
    let plugins = [stereo("in"), stereo("out")]
    let plan = try RigPlan(
      chain(plugins[0], plugins[1]), plugins: plugins, inputChannelCount: 2, outputChannelCount: 2)
    #expect(plan.links.count == 6)
    #expect(plan.links.filter { $0.from.node == nil }.count == 2)
  }
}
