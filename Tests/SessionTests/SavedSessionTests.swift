// SavedSessionTests.swift: saved rigs are valid and have the same output. SPDX-License-Identifier: MIT

import Foundation
import GraphTestSupport
import PluginLoading
import PluginModel
import RealtimeKit
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@testable import Session

@Suite(.serialized) struct `A saved session` {
  private static let modules = [
    "gain", "delay", "compressor", "chorus", "de-esser", "ring-modulator",
  ]
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: Self.modules, bundles: ["mda.lv2"]) }

  // MARK: - Scenes and files

  private static let short =
    "input: {device: in, channels: 2}\noutput: {device: out, channels: 2}\n"
    + "nodes: {a: {plugin: outboard.gain}}\nconnections: [in -> a -> out]"

  private func session(
    _ rig: RigDescription, _ workshop: RigTestEnvironment? = nil
  ) throws -> LiveSession {
    let library = (workshop ?? self.workshop).library
    let session = try LiveSession(try PreparedRig(rig, library), library) {
      try UnhurriedDriver(request: $0)
    }
    try session.start()
    return session
  }

  @Test func `a scene of which a session begins is written without defaults`() throws {
    let rig = try workshop.rig(
      "input: {device: in, channels: 2}\noutput: {device: out, channels: 2}\n"
        + "nodes:\n  a: {plugin: outboard.compressor, parameters: {threshold: -30}}\n"
        + "connections: [in -> a -> out]\n"
        + "scenes: {loud: {a.threshold: -18 dB, a.ratio: 6, complete: true}}\n")
    let begun = try PreparedRig(rig, workshop.library).applyingScene("loud").rig
    #expect(begun.nodes[0].parameters.map(\.symbol) == ["threshold", "threshold", "ratio"])
    #expect(begun.nodes[0].parameters.last?.text == "6")
  }

  @Test(arguments: ["x\u{2028}y", "x\u{FFFE}", "a\u{85}\u{2029}b", "a: \"b\" # c", "é 🎸"])
  func `a scene may have any name`(name: String) throws {
    let rig = try workshop.rig(Self.short)
    let session = try session(rig)
    defer { session.stop() }
    let path = "\(workshop.path)/named.yaml"
    _ = try session.storeScene(name)
    try session.save(to: path, replaces: true)
    #expect(try RigReader.read(path: path).scenes.map(\.name) == [name])
  }

  @Test func `a rig that could not be read again is not written`() throws {
    let rig = try workshop.rig(Self.short)
    let session = try session(rig)
    defer { session.stop() }
    let path = try workshop.write("precious", as: "kept.yaml")
    let saver = RigSaver(active: session.active)
    #expect(throws: SaveError.self) {
      try saver.write("outboard: 1\nnodes: [", to: path, replaces: true)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func `a relative path of a property stays in the directory of the rig`() throws {
    let click = "/usr/lib/lv2/eg-sampler.lv2/click.wav"
    try #require(FileManager.default.fileExists(atPath: click))
    let workshop = try RigTestEnvironment(modules: ["convolver"])
    try FileManager.default.copyItem(atPath: click, toPath: "\(workshop.path)/click.wav")
    let rig = try workshop.rig(
      "input: {device: in, channels: 2}\noutput: {device: out, channels: 2}\n"
        + "nodes: {a: {plugin: outboard.convolver, properties: {impulse: click.wav}}}\n"
        + "connections: [in -> a -> out]")
    let session = try session(rig, workshop)
    defer { session.stop() }
    try session.save(to: "\(workshop.path)/near.yaml", replaces: true)
    #expect(
      try RigReader.read(path: "\(workshop.path)/near.yaml").nodes[0].properties.map(\.text)
        == ["click.wav"])
    #expect(!FileManager.default.fileExists(atPath: "\(workshop.path)/near.state"))
  }

  @Test func `MIDI from outside is no audio input`() throws {
    let workshop = try RigTestEnvironment(modules: ["organ"])
    let rig = try workshop.rig(
      "output: {device: out, channels: 2}\nnodes: {a: {plugin: outboard.organ}}\n"
        + "connections: [\"in:midi -> a:midi\", a -> out]")
    #expect(try !PreparedRig(rig, workshop.library).usesInput)
    #expect(try PreparedRig(self.workshop.rig(Self.short), self.workshop.library).usesInput)
  }

  // MARK: - Random sessions

  /// A rig of a few nodes in a row, with branches, delays and every kind of value.
  private func rig(_ numbers: inout Numbers) throws -> RigDescription {
    let plugins = Self.modules.map { "outboard.\($0)" }
    let count = 1 + numbers.next(below: 4)
    let names = (0 ..< count).map { "n\($0)" }
    let nodes = names.map { name in
      var keys = ["plugin: \(plugins[numbers.next(below: plugins.count)])"]
      if numbers.next(below: 4) == 0 { keys.append("bypass: true") }
      if numbers.next(below: 4) == 0 { keys.append("wet: \(1 + numbers.next(below: 99)).5 %") }
      return "  \(name): {\(keys.joined(separator: ", "))}"
    }
    var connections = ["in -> \(names.joined(separator: " -> ")) -> out"]
    for name in names where numbers.next(below: 3) == 0 {
      let gain = -Double(numbers.next(below: 4_000)) / 100
      connections.append(
        "{from: \(name), to: out, gain: \(gain), delay: \(0.3 * gain.magnitude + 0.1) ms}")
      connections.append(
        "{from: \(name), to: \(names[0]), gain: -30, delay: \(3 + gain.magnitude) ms}")
    }
    let scene = "scenes: {hand: {n0.wet: 12.34 %, in -> n0.gain: -3 dB}}"
    let text =
      "input: {device: in, channels: 2}\noutput: {device: out, channels: 2}\nperiod: 64\nnodes:\n"
      + nodes.joined(separator: "\n") + "\nconnections:\n"
      + connections.map { "  - \($0)" }.joined(separator: "\n") + "\n" + scene + "\n"
    return try workshop.rig(text)
  }

  /// A chain as on the command line, whose nodes have names that no file can use.
  private func chain(_ numbers: inout Numbers) throws -> RigDescription {
    var words = ["Ring modulator", "De-esser", "gain", "gain=-3", "gain"]
    if RigTestEnvironment.hasBundle("mda.lv2") { words.append("MDA Ambience") }
    let start = numbers.next(below: 3)
    return try workshop.chain(Array(words[start...].filter { start < 3 || !$0.contains("=") }))
  }

  /// Sends a random command to the session.
  private func change(_ session: LiveSession, _ numbers: inout Numbers, step: Int) throws {
    let nodes = session.nodeValues.filter { !$0.name.hasPrefix("--") }
    let node = nodes[numbers.next(below: nodes.count)]
    switch numbers.next(below: 8) {
    case 0, 1:
      guard !node.plugin.parameters.isEmpty else { return }
      let parameter = node.plugin.parameters[numbers.next(below: node.plugin.parameters.count)]
      let share = Float(numbers.next(below: 10_007)) / 10_007
      let value = parameter.nearestValid(
        to: parameter.minimum + (parameter.maximum - parameter.minimum) * share)
      _ = try session.set(node.name, to: [(parameter.symbol, "\(value)")])
    case 2: _ = try session.set(node.name, to: [("wet", "\(numbers.next(below: 10_000) / 100) %")])
    case 3:
      _ = try session.set(node.name, to: [("bypass", numbers.next(below: 2) == 0 ? "on" : "off")])
    case 4:
      let gain = "\(-Double(numbers.next(below: 30_000)) / 1_000)"
      _ = try? session.set("in -> \(nodes[0].name)", to: [("gain", gain)])
    case 5: _ = try session.storeScene("scene \(numbers.next(below: 3))")
    case 6:
      guard let scene = session.scenes.randomElement(&numbers) else { return }
      _ = try session.recall(scene.name, over: Double(numbers.next(below: 3)))
      session.advanceMorph()
    default: _ = try? numbers.next(below: 2) == 0 ? session.undo() : session.redo()
    }
    _ = try session.report()
    session.advanceMorph()
  }

  @Test(arguments: 0 ..< 12)
  func `is valid and gives the same output bit for bit`(seed: Int) throws {
    var numbers = Numbers(seed: UInt64(seed) &* 7_919 &+ 11)
    let written = try seed % 3 == 2 ? chain(&numbers) : rig(&numbers)
    var prepared = try PreparedRig(written, workshop.library)
    if seed.isMultiple(of: 2) {
      let taps = try RecordingTaps(
        output: "\(workshop.path)/take.wav", input: "\(workshop.path)/in.wav", for: prepared)
      prepared = try prepared.with(taps, workshop.library)
    }
    let session = try LiveSession(prepared, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    defer { session.stop() }
    for step in 0 ..< 24 { try change(session, &numbers, step: step) }

    let path = "\(workshop.path)/saved.yaml"
    try session.save(to: path, replaces: true)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("--"), "\(text)")
    let saved = try PreparedRig(RigReader.read(path: path), workshop.library)
    try saved.checkNodes(workshop.library)

    let live = Self.ownPlan(session)
    let again = try saved.plan(
      inputChannelCount: live.inputChannelCount, outputChannelCount: live.outputChannelCount)
    #expect(again.links == live.links, "\(text)")
    #expect(again.nodes.map(\.instanceCount) == live.nodes.map(\.instanceCount))
    #expect(again.scenes.map(Self.spelt) == live.scenes.map(Self.spelt), "\(text)")
    let (captured, loaded) = try (render(live), render(again))
    #expect(captured == loaded, "\(text)")
  }

  // MARK: - Comparison

  /// The plan of the session with its current values, without parts of the command line.
  private static func ownPlan(_ session: LiveSession) -> RigPlan {
    var plan = session.graph.plan
    let own = plan.nodes.prefix { !$0.name.hasPrefix("--") }
    plan.links.removeAll { ($0.to.node ?? 0) >= own.count }
    plan.nodes = Array(own)
    for (index, node) in session.nodeValues.prefix(own.count).enumerated() {
      plan.nodes[index].values = node.values.enumerated().map {
        RigPlan.Value(parameter: $0.offset, value: $0.element)
      }
    }
    return plan
  }

  private static func spelt(_ scene: ScenePlan) -> [String] {
    [scene.name, "\(scene.overSeconds ?? -1)"]
      + (scene.settings.map { "\($0.node) \($0.what)" } + scene.gains.map { "\($0)" }).sorted()
  }

  private func render(_ plan: RigPlan) throws -> [Float] {
    let configuration = NodeConfiguration(
      sampleRateHz: 48_000, maximumFrameCount: 64, transport: Transport(sampleRateHz: 48_000))
    let built = try RigBuilder.build(
      plan, configuration, makeNode: workshop.library.makeNode)
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: plan.inputChannelCount, outputChannelCount: plan.outputChannelCount,
        maximumFrameCount: 64, sampleRateHz: 48_000, startsFadedOut: false),
      transport: configuration.transport)
    engine.install(try GraphCompiler.compile(built.graph, for: engine))
    var noise = Numbers(seed: 3)
    var result: [Float] = []
    for _ in 0 ..< 100 {
      for channel in 0 ..< plan.inputChannelCount {
        for frame in 0 ..< 64 {
          engine.pointer.pointee.inputs[channel][frame] =
            Float(noise.next(below: 2_001)) / 4_000 - 0.25
        }
      }
      renderBlock(engine.pointer, 64)
      for channel in 0 ..< plan.outputChannelCount {
        result += UnsafeBufferPointer(start: engine.pointer.pointee.outputs[channel], count: 64)
      }
    }
    for node in built.members.flatMap(\.nodes) { node.deactivate() }
    return result
  }
}

extension Array {
  fileprivate func randomElement(_ numbers: inout Numbers) -> Element? {
    isEmpty ? nil : self[numbers.next(below: count)]
  }
}
