// NestedRigTests.swift: rigs that are nodes of other rigs. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RigTestSupport
import Testing

@testable import Manifests
@testable import RigPlanning
@testable import RigSchema

@Suite struct NestedRigTests {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: ["gain", "delay", "limiter", "oscillator", "organ"])
    try write(
      "strip",
      """
      input: {device: in, channels: 1}
      output: {device: out, channels: 2}
      nodes:
        trim: {plugin: outboard.gain, parameters: {gain: -6}}
        last: {plugin: outboard.limiter}
      connections: [in -> trim -> last -> out]
      """)
  }

  @discardableResult
  private func write(_ name: String, _ text: String) throws -> String {
    try workshop.write("outboard: 1\n\(text)\n", as: "\(name).yaml")
  }

  private func read(_ name: String) throws -> RigDescription {
    try RigReader.read(path: "\(workshop.path)/\(name).yaml")
  }

  private func plan(_ rig: RigDescription, inputs: Int = 2, outputs: Int? = 2) throws -> RigPlan {
    try RigPlan(
      rig, plugins: try workshop.library.find(nodesOf: rig), inputChannelCount: inputs,
      outputChannelCount: outputs)
  }

  /// Links as sorted lines, by the names of nodes.
  private func links(_ plan: RigPlan) -> [String] {
    func name(_ channel: RigPlan.Channel, _ own: String) -> String {
      (channel.node.map { plan.nodes[$0].name } ?? own) + ":\(channel.index + 1)"
    }
    return plan.links.map { "\(name($0.from, "in"))>\(name($0.to, "out"))*\($0.gain)" }.sorted()
  }

  private func mistakes(_ name: String) -> [String] {
    do {
      _ = try plan(read(name))
      return []
    } catch let error as ManifestError {
      return error.diagnostics.map {
        "\($0)".replacingOccurrences(of: workshop.path + "/", with: "")
      }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `are connected like their nodes in the outer rig`() throws {
    try write(
      "twice",
      """
      nodes: {a: {rig: strip.yaml}, b: {rig: strip.yaml}}
      connections: [in:1 -> a -> out, {from: "in:2", to: b, gain: -6}, b:1 -> out:2]
      """)
    try write(
      "flat",
      """
      nodes:
        a-trim: {plugin: outboard.gain, parameters: {gain: -6}}
        a-last: {plugin: outboard.limiter}
        b-trim: {plugin: outboard.gain, parameters: {gain: -6}}
        b-last: {plugin: outboard.limiter}
      connections:
        - in:1 -> a-trim -> a-last -> out
        - {from: "in:2", to: b-trim, gain: -6}
        - b-trim -> b-last
        - b-last:1 -> out:2
      """)
    let (nested, flat) = (try plan(read("twice")), try plan(read("flat")))
    #expect(nested.nodes.map(\.name) == ["a/trim", "a/last", "b/trim", "b/last"])
    #expect(nested.nodes.map(\.values) == flat.nodes.map(\.values))
    #expect(nested.nodes.map(\.instanceCount) == flat.nodes.map(\.instanceCount))
    #expect(
      links(nested)
        == links(flat).map { $0.replacing("a-", with: "a/").replacing("b-", with: "b/") })
  }

  @Test func `have values that can be set from outside at any depth`() throws {
    try write(
      "band",
      """
      nodes:
        voice: {rig: strip.yaml, parameters: {trim.gain: -3}}
        echo: {plugin: outboard.delay}
      connections: [in:1 -> voice -> echo -> out]
      """)
    try write(
      "stage",
      """
      nodes:
        band:
          rig: band.yaml
          parameters: {voice.last.ceiling: -2, echo.mix: 20}
          nodes:
            voice: {wet: 50 %, nodes: {trim: {parameters: {gain: 1}, bypass: true}}}
      connections: [in:1 -> band -> out]
      """)
    let rig = try read("stage")
    let plan = try plan(rig)
    #expect(plan.nodes.map(\.name) == ["band/voice/trim", "band/voice/last", "band/echo"])
    func value(_ node: Int, _ symbol: String) -> Float? {
      let place = plan.nodes[node].plugin.parameters.index(ofSymbol: symbol)
      return plan.nodes[node].values.last { $0.parameter == place }?.value
    }
    #expect(value(0, "gain") == 1 && value(1, "ceiling") == -2 && value(2, "mix") == 20)
    #expect(rig.nodes[0].isBypassed && rig.nested.map(\.name) == ["band", "band/voice"])
    #expect(rig.nested[1].wetLevel == 0.5)
    #expect(
      rig.files.map { URL(fileURLWithPath: $0).lastPathComponent } == [
        "stage.yaml", "band.yaml", "strip.yaml",
      ])

    let text = RigWriter.text(of: rig)
    let again = try RigReader.read(text: text, file: "\(workshop.path)/again.yaml")
    #expect(again.nodes.map(\.name) == rig.nodes.map(\.name))
    #expect(again.nested == rig.nested && again.nodes[0].isBypassed)
    let second = try self.plan(again)
    #expect(second.links == plan.links && second.nodes.map(\.values) == plan.nodes.map(\.values))
  }

  @Test func `are bypassed as a whole and in part`() throws {
    try write(
      "past",
      """
      nodes: {a: {rig: strip.yaml, bypass: true}}
      connections: [in:1 -> a -> out]
      """)
    let past = try plan(read("past"))
    let captured = past.links.filter { $0.gain != 0 && $0.to.node == nil }
    #expect(captured.allSatisfy { $0.from == RigPlan.Channel(node: nil, index: 0) && $0.gain == 1 })
    #expect(captured.map(\.to.index).sorted() == [0, 1])
    try write(
      "half",
      """
      nodes: {a: {rig: strip.yaml, wet: 25 %}}
      connections: [in:1 -> a -> out]
      """)
    let half = try plan(read("half")).links.filter { $0.to == RigPlan.Channel(node: nil, index: 0) }
    #expect(half.map(\.gain).sorted() == [0.25, 0.75])
  }

  @Test func `receive and send MIDI`() throws {
    try write(
      "keys", "nodes: {organ: {plugin: outboard.organ}}\nconnections: [organ -> out]")
    try write("heard", "nodes: {k: {rig: keys.yaml}}\nconnections: [k -> out]")
    #expect(try plan(read("heard")).eventLinks == [RigPlan.EventLink(from: nil, to: 0)])
    try write(
      "named",
      "nodes: {k: {rig: keys.yaml}}\nconnections: [\"in:midi -> k:midi\", k -> out]")
    #expect(try plan(read("named")).eventLinks == [RigPlan.EventLink(from: nil, to: 0)])
    try write("deaf", "nodes: {a: {rig: strip.yaml}}\nconnections: [\"in:midi -> a\", a -> out]")
    #expect(
      mistakes("deaf").contains(
        "deaf.yaml:3: connections[1]: a takes no MIDI, so in cannot feed it."))
  }

  @Test func `are refused with the location of each error`() throws {
    try write("gone", "nodes: {a: {rig: none.yaml}}\nconnections: [in -> a -> out]")
    #expect(
      mistakes("gone") == [
        "gone.yaml:2: nodes.a.rig: no such rig: none.yaml. Write the path relative to"
          + " this file, or the name of an installed rig."
      ])
    try write("one", "nodes: {a: {rig: two.yaml}}\nconnections: [in -> a -> out]")
    try write("two", "nodes: {b: {rig: one.yaml}}\nconnections: [in -> b -> out]")
    #expect(
      mistakes("one") == [
        "two.yaml:2: nodes.b.rig: a rig cannot contain itself: one.yaml -> two.yaml -> one.yaml."
          + " Remove one of them."
      ])
    try write(
      "bad",
      "nodes: {x: {plugin: outboard.gain, parameters: {gian: 3}}}\nconnections: [in -> x -> out]"
    )
    try write("outer", "nodes: {a: {rig: bad.yaml}}\nconnections: [in -> a -> out]")
    #expect(
      mistakes("outer") == [
        "bad.yaml:2: nodes.x.parameters.gian: a/x has no parameter gian. Did you mean gain?"
      ])
    try write(
      "lost",
      """
      nodes: {a: {rig: strip.yaml, parameters: {trin.gain: 3}, nodes: {lats: {wet: 3 %}}}}
      connections: [in:1 -> a -> out, a:3 -> out]
      """)
    #expect(
      mistakes("lost") == [
        "lost.yaml:2: nodes.a.parameters.trin.gain: strip.yaml has no node for it; a value is"
          + " written with its node in front, as in trim.gain.",
        "lost.yaml:2: nodes.a.nodes.lats: no such node: \"lats\". Did you mean \"last\"?",
      ])
    try write(
      "scenes",
      """
      nodes: {a: {rig: strip.yaml}}
      connections: [in -> a -> out]
      scenes: {verse: {a.bypass: on}}
      """)
    #expect(
      mistakes("scenes") == [
        "scenes.yaml:4: scenes.verse.a.bypass: a is a nested rig. Name a node in it, as in a.NODE."
      ])
    try write("ports", "nodes: {a: {rig: strip.yaml}}\nconnections: [in:1 -> a -> out, a:3 -> out]")
    #expect(
      mistakes("ports") == [
        "ports.yaml:3: connections[2]: a has no such port among its audio outputs. Known ports:"
          + " 1, 2."
      ])
    try write(
      "both", "nodes: {a: {rig: strip.yaml, plugin: outboard.gain}}\nconnections: [in -> a -> out]")
    #expect(mistakes("both").count == 1 && mistakes("both")[0].contains("nodes.a.plugin"))
  }

  @Test func `may contain at most 1000 nodes`() throws {
    try write("level0", "nodes: {x: {plugin: outboard.gain}}\nconnections: [in -> x -> out]")
    for level in 1 ... 16 {
      try write(
        "level\(level)",
        """
        nodes: {a: {rig: level\(level - 1).yaml}, b: {rig: level\(level - 1).yaml}}
        connections: [in -> a -> b -> out]
        """)
    }
    #expect(mistakes("level16").contains { $0.contains("more than 1000 nodes") })
  }

  @Test func `are drawn as boxes around their nodes`() throws {
    try write("drawn", "nodes: {a: {rig: strip.yaml}}\nconnections: [in:1 -> a -> out]")
    let dot = DOTWriter.dot(try plan(read("drawn")), name: "Drawn")
    #expect(dot.contains("  subgraph \"cluster_a\" {\n    label=\"a\";\n    n0;\n    n1;\n  }\n"))
  }
}
