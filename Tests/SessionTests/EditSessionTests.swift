// EditSessionTests.swift: edits of a rig in a session. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct EditSessionTests {
  private let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: [
      "gain", "delay", "limiter", "oscillator", "convolver",
    ])
  }

  /// A rig with input and output, from the given nodes and connections.
  private func rig(_ nodes: String, _ connections: String, more: String = "") throws -> PreparedRig
  {
    let text = """
      outboard: 1
      input: {device: in, channels: 2}
      output: {device: out, channels: 2}
      period: 64
      \(more)
      nodes:
      \(nodes.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      connections:
      \(connections.split(separator: "\n").map { "  - " + $0 }.joined(separator: "\n"))
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  private func session(_ rig: PreparedRig) throws -> LiveSession {
    let session = try LiveSession(rig, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  /// Reports until the session is at rest.
  ///
  /// If it never is, the time limit of the test run ends it.
  private func settle(_ session: LiveSession) throws {
    let deadline = Deadline()
    while !session.graph.editor.isSettled {
      _ = try session.report()
      try deadline.rest()
    }
  }

  private func node(_ session: LiveSession, _ name: String) throws -> any Node {
    try #require(session.graph.members.first { $0.name == name }).nodes[0]
  }

  private let chain = "in -> a -> b -> out"

  @Test func `a rig without devices uses the open ones, and one with devices keeps its own`()
    throws
  {
    let session = try session(rig("a: {plugin: outboard.gain}", "in -> a -> out"))
    defer { session.stop() }
    var bare = RigDescription(file: "bare.yaml", name: "Bare")
    session.shareDevices(to: &bare)
    #expect(bare.inputs.map(\.request.device) == ["in"])
    #expect(bare.outputs.map(\.request.device) == ["out"])
    var other = RigDescription(file: "other.yaml", name: "Other")
    other.outputs = [RigDevice(DeviceRequest(device: "another"))]
    session.shareDevices(to: &other)
    #expect(other.inputs.isEmpty && other.outputs.map(\.request.device) == ["another"])
  }

  @Test func `values that changed in the file are set, and manual values remain`() throws {
    let session = try session(
      rig("a: {plugin: outboard.gain, parameters: {gain: -6}}\nb: {plugin: outboard.delay}", chain))
    defer { session.stop() }
    _ = try session.set("b", to: [("mix", "77")])
    let before = try (node(session, "a"), node(session, "b"))
    let notes = try session.edit(
      to: rig(
        "a: {plugin: outboard.gain, parameters: {balance: 0.5}}\nb: {plugin: outboard.delay}", chain
      )
    )
    #expect(notes.isEmpty)
    try #expect(node(session, "a") === before.0 && node(session, "b") === before.1)
    let values = session.nodeValues
    let a = Dictionary(
      uniqueKeysWithValues: zip(values[0].plugin.parameters.map(\.symbol), values[0].values))
    let b = Dictionary(
      uniqueKeysWithValues: zip(values[1].plugin.parameters.map(\.symbol), values[1].values))
    #expect(a["gain"] == 0 && a["balance"] == 0.5 && b["mix"] == 77)
    try settle(session)
  }

  @Test func `nodes in another order are replaced and keep their values`() throws {
    let nodes = "a: {plugin: outboard.gain, parameters: {gain: -6}}\nb: {plugin: outboard.delay}"
    let session = try session(rig(nodes, chain))
    defer { session.stop() }
    let before = try (node(session, "a"), node(session, "b"))
    _ = try session.edit(to: rig(nodes, "in -> b -> a -> out"))
    let after = try (node(session, "a"), node(session, "b"))
    #expect(after.0 !== before.0 || after.1 !== before.1)
    #expect(session.nodeValues[0].values[0] == -6)
    // The tail of the removed node is monitored for three seconds.
    try settle(session)
  }

  @Test func `a new node with delay is aligned, and a removed node's delay is dropped`() throws {
    let session = try session(rig("a: {plugin: outboard.gain}", "in -> a -> out\nin -> out"))
    defer { session.stop() }
    _ = try session.edit(
      to: rig(
        "a: {plugin: outboard.gain}\nlast: {plugin: outboard.limiter}",
        "in -> a -> last -> out\nin -> out"))
    // An edit at this time waits until audio has begun.
    try settle(session)
    #expect(session.latencyFrames == 240)
    _ = try session.edit(to: rig("last: {plugin: outboard.limiter}", "in -> last -> out"))
    #expect(session.nodeValues.map(\.name) == ["last"])
    try settle(session)
  }

  @Test func `errors change nothing and are reported with their locations`() throws {
    let session = try session(rig("a: {plugin: outboard.gain}", "in -> a -> out"))
    defer { session.stop() }
    let before = try node(session, "a")
    #expect {
      try session.edit(
        to: rig("a: {plugin: outboard.gain, parameters: {gian: 3}}", "in -> a -> out"))
    } throws: { "\($0)".contains("Did you mean gain?") }
    #expect {
      try session.edit(to: rig("a: {plugin: outboard.gain}", "in:1-2 -> a -> out:3-4"))
    } throws: { "\($0)".contains("channel 4 is used, but") }
    try #expect(node(session, "a") === before)
    try settle(session)
  }

  @Test func `an edit can be undone and redone`() throws {
    let session = try session(
      rig("a: {plugin: outboard.gain, parameters: {gain: -1}}", "in -> a -> out"))
    defer { session.stop() }
    #expect(throws: EditError.nothingToUndo) { try session.undo() }
    for gain in [-2, -3] {
      _ = try session.edit(
        to: rig("a: {plugin: outboard.gain, parameters: {gain: \(gain)}}", "in -> a -> out"))
    }
    func gain() -> Float { session.nodeValues[0].values[0] }
    _ = try session.undo()
    #expect(gain() == -2)
    _ = try session.undo()
    #expect(gain() == -1)
    _ = try session.redo()
    #expect(gain() == -2)
    _ = try session.edit(to: rig("a: {plugin: outboard.gain}", "in -> a -> out"))
    #expect(throws: EditError.nothingToRedo) { try session.redo() }
    _ = try session.undo()
    #expect(gain() == -2)
    try settle(session)
  }

  @Test func `changed devices are reported as waiting for the next start`() throws {
    let session = try session(rig("a: {plugin: outboard.gain}", "in -> a -> out"))
    defer { session.stop() }
    let notes = try session.edit(
      to: rig("a: {plugin: outboard.gain}", "in -> a -> out", more: "rate: 96000\nperiods: 3"))
    #expect(
      notes == [
        "Changes of rate and periods take effect at the next start."
      ])
    // These are in use.
    #expect(try session.undo() == [])
  }

  @Test func `a manual value remains if the file has not changed it`() throws {
    func nodes(gain: Int, wet: String = "") -> String {
      "a: {plugin: outboard.gain, parameters: {gain: \(gain)}}\nb: {plugin: outboard.delay\(wet)}"
    }
    let session = try session(rig(nodes(gain: 0), chain))
    defer { session.stop() }
    _ = try session.set("b", to: [("Bypass", "on"), ("wet", "30 %")])
    _ = try session.edit(to: rig(nodes(gain: -3), chain))
    #expect(session.rig.rig.nodes[1].isBypassed && session.rig.rig.nodes[1].wetLevel == 0.3)
    _ = try session.edit(to: rig(nodes(gain: -3, wet: ", wet: 60 %"), chain))
    #expect(session.rig.rig.nodes[1].isBypassed && session.rig.rig.nodes[1].wetLevel == 0.6)
    try settle(session)
  }

  @Test func `a player's file starts at its beginning and continues through edits`()
    throws
  {
    let file = "/usr/lib/lv2/eg-sampler.lv2/click.wav"
    func nodes(gain: Int) -> String {
      "a: {plugin: outboard.gain, parameters: {gain: \(gain)}}\n"
        + "b: {plugin: outboard.convolver, properties: {impulse: \(file)}}"
    }
    let session = try session(rig(nodes(gain: 0), chain))
    defer { session.stop() }
    #expect(session.properties.map(\.node) == ["b"])
    let before = try node(session, "b")
    _ = try session.edit(to: rig(nodes(gain: -3), chain))
    try #expect(node(session, "b") === before)
    #expect(session.rigNow(in: "/").nodes[1].properties.first?.text.contains("click.wav") == true)
    try settle(session)
  }

  @Test func `a new preset sets its own values, not those of the preset before`() throws {
    func nodes(_ preset: String) -> String { "a: {plugin: outboard.delay, preset: \(preset)}" }
    let presets = try workshop.library.presets(of: workshop.library.find("outboard.delay"))
    let names = presets.map(\.name)
    try #require(names.count > 1)
    func values(_ session: LiveSession) -> [Float] { session.nodeValues[0].values }
    let second = try session(rig(nodes(names[1]), "in -> a -> out"))
    let expected = values(second)
    second.stop()
    let session = try session(rig(nodes(names[0]), "in -> a -> out"))
    defer { session.stop() }
    #expect(values(session) != expected)
    _ = try session.edit(to: rig(nodes(names[1]), "in -> a -> out"))
    #expect(values(session) == expected)
    try settle(session)
  }

  @Test func `the load of nodes is measured from the first request on`() throws {
    let session = try session(
      rig("a: {plugin: outboard.oscillator}\nb: {plugin: outboard.limiter}", "a -> b:1\nb -> out"))
    defer { session.stop() }
    #expect(session.nodeLoads().allSatisfy { $0.maximum == 0 })
    var loads = session.nodeLoads()
    // A reply may come between two nodes of a block, or before its count.
    let deadline = Deadline()
    while !loads.allSatisfy({ $0.peak > 0 && $0.mean > 0 }) {
      _ = try session.report()
      try deadline.rest(0.02)
      loads = session.nodeLoads()
    }
    #expect(loads.map(\.name) == ["a", "b"])
    #expect(loads.map(\.latencyFrames) == [0, 240])
    #expect(loads.allSatisfy { $0.mean > 0 && $0.maximum >= $0.percentile && $0.faultCount == 0 })
    #expect(loads[0].plugin == "outboard.oscillator")
    try settle(session)
  }

  @Test func `a node is bypassed while it plays, and a bypassed generator is silent`() throws {
    let nodes = """
      a: {plugin: outboard.oscillator}
      b: {plugin: outboard.gain, parameters: {gain: -90}}
      """
    let connections = "a -> b\nb -> out"
    let session = try session(rig(nodes, connections))
    defer { session.stop() }
    func peak() throws -> Float {
      try settle(session)
      _ = try session.report()
      let wanted = session.renderedFrameCount + 4_800
      let deadline = Deadline()
      while session.renderedFrameCount < wanted { try deadline.rest() }
      return try session.report().outputPeaks.max() ?? 0
    }
    #expect(try peak() == 0)
    _ = try session.set("b", to: [("bypass", "on")])
    let full = try peak()
    #expect(full > 0.05)
    _ = try session.set("b", to: [("bypass", "off"), ("wet", "75 %")])
    #expect(abs(try peak() - full / 4) < full / 100)
    _ = try session.set("a", to: [("bypass", "on")])
    #expect(try peak() == 0)
    #expect(throws: SetValueError.self) { try session.set("b", to: [("wet", "120 %")]) }
    #expect {
      try session.set("b", to: [("wet", "0.4")])
    } throws: {
      "\($0)" == "b: wet = 0.4 is ambiguous: 0.4 % or 40 %. Write the value with its percent sign."
    }
    #expect(throws: SetValueError.self) { try session.set("b", to: [("bypass", "perhaps")]) }
    let saved = session.rigNow(in: "/")
    #expect(saved.nodes[1].wetLevel == 0.75 && saved.nodes[0].isBypassed)
  }
}
