// RigEditTests.swift: nodes are inserted, removed, moved and replaced. SPDX-License-Identifier: MIT

import ErrorModel
import Manifests
import ModuleHost
import PluginModel
import Testing

@testable import RigSchema

@Suite struct RigEditTests {
  private static let rig = """
    outboard: 1
    nodes:
      voice: {plugin: outboard.gain}
      comp: {plugin: outboard.compressor}
      hall: {plugin: outboard.reverb}
      osc: {plugin: outboard.oscillator}
    connections:
      - in -> voice
      - {from: voice, to: comp, gain: -3}
      - {from: voice, to: hall, gain: -6}
      - osc -> comp:key
      - comp -> out
      - {from: hall, to: out, gain: -2, delay: 5 ms}
    scenes:
      loud: {voice.gain: 3, hall.mix: 50, hall.bypass: on, "voice -> hall.gain": 0, "hall -> out.gain": -1}
    automation:
      - {parameter: hall.mix, points: [[0, 10], [5, 50]]}
    """

  private func read(_ text: String = rig) throws -> RigDescription {
    try RigReader.read(text: text, file: "rig.yaml")
  }

  private func edited(_ edit: RigEdit, _ text: String = rig) throws -> EditedRig {
    try read(text).applying(edit) { name in
      var plugin = PluginDescription(
        kind: .module, identifier: name, name: name == "outboard.eq" ? "Equaliser" : name)
      plugin.parameters = [Parameter(symbol: "mix", name: "Mix")]
      return plugin
    }
  }

  private func insert(_ plugin: String, name: String? = nil, _ place: InsertionPoint?) -> RigEdit {
    .insert(NewPlugin(ChainLink(plugin: plugin), directory: "/home"), name: name, at: place)
  }

  private func text(_ edited: EditedRig) -> [String] {
    edited.rig.connections.map { connection in
      let gain = connection.gainDecibels == 0 ? "" : " \(plain(connection.gainDecibels))"
      let delay = connection.delaySeconds.map { " \(plain($0 * 1_000)) ms" } ?? ""
      return connection.label + gain + delay
    }
  }

  @Test func `a node is inserted before the output`() throws {
    let result = try edited(insert("outboard.eq", nil))
    #expect(result.rig.nodes.last?.name == "equaliser")
    #expect(
      text(result) == [
        "in -> voice", "voice -> comp -3", "voice -> hall -6", "osc -> comp:key",
        "comp -> equaliser", "hall -> equaliser -2 5 ms", "equaliser -> out",
      ])
    #expect(result.notes == ["equaliser is inserted: comp, hall -> equaliser -> out."])
  }

  @Test func `a node behind another one feeds all that it fed`() throws {
    let result = try edited(insert("outboard.eq", name: "tone", .after("VOICE")))
    #expect(
      text(result) == [
        "in -> voice", "voice -> tone", "tone -> comp -3", "tone -> hall -6", "osc -> comp:key",
        "comp -> out", "hall -> out -2 5 ms",
      ])
    #expect(
      result.rig.scenes[0].values.map(\.symbol) == [
        "voice.gain", "hall.mix", "hall.bypass", "tone -> hall.gain", "hall -> out.gain",
      ])
  }

  @Test func `a node in front of another one leaves its side chain alone`() throws {
    let result = try edited(insert("outboard.eq", .before("comp")))
    #expect(
      text(result) == [
        "in -> voice", "voice -> equaliser -3", "equaliser -> comp", "voice -> hall -6",
        "osc -> comp:key", "comp -> out", "hall -> out -2 5 ms",
      ])
  }

  @Test func `a node in a connection keeps its gain and delay`() throws {
    let result = try edited(insert("outboard.eq", .on("hall->out")))
    #expect(text(result).suffix(2) == ["hall -> equaliser", "equaliser -> out -2 5 ms"])
    #expect(result.rig.scenes[0].values.map(\.symbol).last == "equaliser -> out.gain")
  }

  @Test func `removing a node connects its neighbours and drops what refers to it`() throws {
    let result = try edited(.remove("hall"))
    #expect(
      text(result) == [
        "in -> voice", "voice -> comp -3", "voice -> out -8 5 ms", "osc -> comp:key", "comp -> out",
      ])
    #expect(result.rig.scenes[0].values.map(\.symbol) == ["voice.gain"])
    #expect(result.rig.automation.isEmpty)
    #expect(
      result.notes == [
        "Removed 2 scene values and 1 automation lane, because hall was removed.",
        "Removed 2 scene values, because their connections were removed.",
      ])
  }

  @Test func `a path that exists already keeps its level`() throws {
    let rig = """
      outboard: 1
      nodes: {hall: {plugin: outboard.reverb}}
      connections: [{from: in, to: out, gain: -1}, in -> hall -> out]
      """
    #expect(text(try edited(.remove("hall"), rig)) == ["in -> out -1"])
  }

  @Test func `removing a source leaves no connection`() throws {
    #expect(!text(try edited(.remove("osc"))).contains { $0.contains("key") })
  }

  @Test func `channels follow when a node is removed`() throws {
    let rig = """
      outboard: 1
      nodes: {mono: {plugin: outboard.gain}, split: {plugin: outboard.gain}}
      connections: ["in:1 -> mono:2", "in:2 -> mono:1", mono -> split, "split:1 -> out:2", "split:2 -> out:1"]
      """
    #expect(
      text(try edited(.remove("mono"), rig)) == [
        "in:1 -> split:2", "in:2 -> split:1", "split:1 -> out:2", "split:2 -> out:1",
      ])
    #expect(
      text(try edited(.remove("split"), rig)) == [
        "in:1 -> mono:2", "in:2 -> mono:1", "mono:1 -> out:2", "mono:2 -> out:1",
      ])
    #expect(
      text(try edited(insert("outboard.eq", .after("split")), rig)).suffix(3) == [
        "split -> equaliser", "equaliser:1 -> out:2", "equaliser:2 -> out:1",
      ])
  }

  @Test func `a moved node keeps its values`() throws {
    let result = try edited(.move("comp", to: .after("in")))
    #expect(
      text(result) == [
        "in -> comp", "comp -> voice", "voice -> out -3", "voice -> hall -6", "hall -> out -2 5 ms",
      ])
    #expect(result.rig.nodes == (try read().nodes))
  }

  @Test func `a replaced node keeps its connections, bypass and wet level`() throws {
    let result = try edited(
      .replace(
        "hall",
        with: NewPlugin(
          ChainLink(plugin: "other", assignments: [("mix", "1"), ("preset", "Big")]),
          directory: "/home")))
    #expect(text(result) == text(EditedRig(rig: try read(), notes: [])))
    let node = result.rig.nodes[2]
    #expect(node.source == .plugin("other"))
    #expect(node.parameters.map(\.text) == ["1"])
    #expect(node.preset?.text == "Big")
    #expect(
      result.rig.scenes[0].values.map(\.symbol) == [
        "voice.gain", "hall.bypass", "voice -> hall.gain", "hall -> out.gain",
      ])
  }

  @Test func `names are unique`() throws {
    let once = try edited(insert("outboard.eq", nil))
    let twice = try once.rig.applying(insert("outboard.eq", nil)) { name in
      PluginDescription(kind: .module, identifier: name, name: "Equaliser")
    }
    #expect(twice.rig.nodes.map(\.name).suffix(2) == ["equaliser", "equaliser-2"])
  }

  @Test(
    arguments: [
      (.remove("vioce"), "No such node: vioce. Did you mean voice?"),
      (.remove("in"), "No such node: in."),
      (
        .move("comp", to: .before("Comp")),
        "comp cannot be moved next to itself. Name another node."
      ),
      (.insert(.gain, name: "voice", at: nil), "The rig already has a node named voice."),
      (.insert(.gain, name: "a/b", at: nil), "\"a/b\" is not a valid node name."),
      (.insert(.gain, name: nil, at: .on("voice")), "\"voice\" is not a connection."),
      (
        .insert(.gain, name: nil, at: .on("hall -> comp")),
        "No connection leads from hall to comp. From hall there is hall -> out."
      ),
      (.insert(.gain, name: nil, at: .after("out")), "No such node: out."),
      (.replace("nothing", with: .gain), "No such node: nothing."),
    ] as [(RigEdit, String)])
  func `an impossible change is refused`(edit: RigEdit, message: String) throws {
    let error = #expect(throws: RigEditError.self) { try edited(edit) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    #expect(error?.kind == .usage)
  }

  @Test func `outputs that are connected by name need the name of a connection`() throws {
    let rig = """
      outboard: 1
      nodes: {x: {plugin: outboard.gain}, y: {plugin: outboard.gain}}
      connections: [in -> x, "x:left -> y", "x:right -> out", y -> out]
      """
    let error = #expect(throws: RigEditError.self) {
      try edited(insert("outboard.eq", .after("x")), rig)
    }
    #expect(
      error?.description
        == "The outputs of x are connected separately. Name one connection, as in `on \"x:left -> y\"`."
    )
    #expect(
      text(try edited(insert("outboard.eq", .on("x:right -> out")), rig)).suffix(3) == [
        "x:right -> equaliser", "equaliser -> out", "y -> out",
      ])
  }
}

extension NewPlugin {
  fileprivate static let gain = NewPlugin(ChainLink(plugin: "outboard.gain"), directory: "/")
}
