// NodeEditTests.swift: nodes are changed by command, and everything can be undone. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import Synchronization
import Testing

@testable import HostCore

@Suite(.serialized) struct NodeEditTests {
  private let test: TestHost

  init() throws { test = try TestHost() }

  private var connections: [String] {
    test.host.snapshot.state.connections.map(\.name)
  }

  private func value(_ node: String, _ symbol: String) -> Float? {
    test.host.snapshot.state.nodes.first { $0.name == node }?
      .parameters.first { $0.symbol == symbol }?.value
  }

  /// The output once all fades have ended.
  private func settledOutput() throws -> Float {
    for _ in 0 ..< 2_000 { try test.turn() }
    return test.driver.render()[0]
  }

  @Test func `a node is inserted, heard and undone`() throws {
    let (before, output) = (connections, try settledOutput())
    let reply = try test.reply(
      .insert(.init(.init("outboard.gain", values: [.init("gain", "-20")]), position: .after("a"))))
    #expect(reply.error == nil)
    #expect(reply.notes.first == "gain is inserted: a -> gain -> b.")
    guard case .rig? = reply.change?.changes.first else {
      Issue.record("\(reply)")
      return
    }
    #expect(connections == ["in -> a", "a -> gain", "gain -> b", "b -> c", "c -> out"])
    #expect(abs(try settledOutput() - output / 10) < 0.001)
    #expect(try test.reply(.undo).error == nil)
    #expect(connections == before)
    #expect(abs(try settledOutput() - output) < 0.001)
    #expect(try test.reply(.redo).error == nil)
    #expect(value("gain", "gain") == -20)
  }

  @Test func `a removed node comes back with its values`() throws {
    _ = try test.reply(.set("a", "gain", "-6"))
    #expect(try test.reply(.remove(.init(node: "A"))).error == nil)
    #expect(connections == ["in -> b", "b -> c", "c -> out"])
    #expect(try test.reply(.undo).error == nil)
    #expect(value("a", "gain") == -6)
    #expect(
      try test.reply(.undo).change?.changes == [.parameter(node: "a", symbol: "gain", value: 0)])
  }

  @Test func `a node is moved and replaced`() throws {
    _ = try test.reply(.set("c", "gain", "-6"))
    #expect(try test.reply(.move(.init(node: "c", to: .before("a")))).error == nil)
    #expect(connections == ["in -> c", "c -> a", "a -> b", "b -> out"])
    #expect(value("c", "gain") == -6)
    #expect(try test.reply(.replace(.init(node: "b", with: .init("outboard.gain")))).error == nil)
    #expect(value("b", "gain") == 0)
    #expect(abs(try settledOutput() - 0.125) < 0.001)
  }

  @Test func `changes that are sent at once are all made, in order`() throws {
    let client = test.host.port.connect { _ in }
    let first = Outcome()
    _ = test.host.port.submit(
      .insert(.init(.init("outboard.gain"), name: "one", position: .after("a"))), from: client
    ) { first.set($0) }
    let second = try test.reply(
      .insert(.init(.init("outboard.gain"), name: "two", position: .after("one"))), from: client)
    #expect(first.reply?.error == nil)
    #expect(second.error == nil)
    #expect(connections == ["in -> a", "a -> one", "one -> two", "two -> b", "b -> c", "c -> out"])
  }

  @Test func `an impossible change leaves everything as it was`() throws {
    let before = test.host.snapshot
    for command in [
      .remove(.init(node: "nothing")), .insert(.init(.init("no such plugin"))),
      .insert(.init(.init("outboard.gain", values: [.init("nothing", "1")]))),
      .move(.init(node: "a", to: .on("b -> a"))), .replace(.init(node: "a", with: .init(""))),
    ] as [Command] {
      #expect(try test.reply(command).error != nil, "\(command)")
      #expect(test.host.snapshot == before)
    }
  }

  @Test func `a preset is loaded and undone`() throws {
    _ = try test.reply(.set("b", "time", "200 ms"))
    let reply = try test.reply(.set("B", "preset", "Slap"))
    #expect(reply.error == nil, "\(reply)")
    #expect(value("b", "time") == 110)
    // The same preset once more replaces values that were set meanwhile.
    _ = try test.reply(.set("b", "time", "300 ms"))
    #expect(try test.reply(.set("b", "preset", "Slap")).error == nil)
    #expect(value("b", "time") == 110)
    #expect(try test.reply(.undo).error == nil)
    #expect(value("b", "time") == 300)
    _ = try test.reply(.undo)
    #expect(try test.reply(.undo).error == nil)
    #expect(value("b", "time") == 200)
    #expect(try test.reply(.set("b", "preset", "No such preset")).error?.kind == .usage)
    let set = Command.set(
      .init(node: "b", values: [.init("preset", "Slap"), .init("time", "1 ms")]))
    #expect(
      try test.reply(set).error?.message
        == "b: a preset is set alone. Set the other values after it.")
  }

  // MARK: - Values

  @Test func `relative values refer to the present ones`() throws {
    _ = try test.reply(.set("a", "gain", "-6"))
    #expect(try test.reply(.set("a", "gain", "+=2.5")).error == nil)
    #expect(value("a", "gain") == -3.5)
    _ = try test.reply(.set("a", "gain", "*=2"))
    #expect(value("a", "gain") == -7)
    _ = try test.reply(.set("b", "time", "+=0.05 s"))
    #expect(value("b", "time") == 150)
    _ = try test.reply(.set("c", "mute", "toggle"))
    #expect(value("c", "mute") == 1)
    _ = try test.reply(.set("c", "bypass", "toggle"))
    #expect(test.host.snapshot.state.nodes[2].bypass)
    _ = try test.reply(.set("b", "wet", "-=25 %"))
    #expect(test.host.snapshot.state.nodes[1].wet == 0.75)
    _ = try test.reply(.set("a -> b", "gain", "-=3"))
    #expect(test.host.snapshot.state.connections[1].gain == -3)
    let note = try test.reply(.set("a", "gain", "+=500")).notes.first ?? ""
    #expect(note.contains("above the maximum"))
    for (symbol, text) in [
      ("gain", "toggle"), ("gain", "next"), ("gain", "+=3 Hz"), ("gain", "+=x"),
    ] {
      #expect(try test.reply(.set("a", symbol, text)).error?.kind == .usage, "\(text)")
    }
  }

  @Test func `values are undone one after the other`() throws {
    _ = try test.reply(.set("a", "gain", "-6"))
    _ = try test.reply(.set("c", "gain", "-12"))
    _ = try test.reply(.set("c", "mute", "on"))
    #expect(
      try test.reply(.undo).change?.changes == [.parameter(node: "c", symbol: "mute", value: 0)])
    #expect(
      try test.reply(.undo).change?.changes == [.parameter(node: "c", symbol: "gain", value: 0)])
    #expect(
      try test.reply(.redo).change?.changes == [.parameter(node: "c", symbol: "gain", value: -12)])
    _ = try test.reply(.undo)
    #expect(
      try test.reply(.undo).change?.changes == [.parameter(node: "a", symbol: "gain", value: 0)])
    #expect(try test.reply(.undo).error?.kind == .usage)
  }

  @Test func `the turn of a knob is one step`() throws {
    for gain in 1 ... 20 { _ = try test.reply(.set("a", "gain", "-\(gain)")) }
    #expect(
      try test.reply(.undo).change?.changes == [.parameter(node: "a", symbol: "gain", value: 0)])
  }

  @Test func `a command that sets several things is one step`() throws {
    let values = [("gain", "-6"), ("mute", "on"), ("bypass", "on")]
    let set = Command.set(.init(node: "c", values: values.map { .init($0.0, $0.1) }))
    #expect(try test.reply(set).error == nil)
    #expect(try test.reply(.undo).error == nil)
    #expect(value("c", "gain") == 0)
    #expect(value("c", "mute") == 0)
    #expect(!test.host.snapshot.state.nodes[2].bypass)
    #expect(try test.reply(.undo).error?.kind == .usage)
  }

  @Test func `a scene is one step`() throws {
    _ = try test.reply(.scene(.recall("low", over: 0)))
    #expect(value("a", "gain") == -20)
    #expect(try test.reply(.undo).error == nil)
    #expect(value("a", "gain") == 0)
    #expect(value("c", "mute") == 0)
    #expect(test.host.snapshot.state.connections[1].gain == 0)
    #expect(try test.reply(.redo).error == nil)
    #expect(value("a", "gain") == -20)
  }
}

/// A reply that a command gets.
private final class Outcome: Sendable {
  private let holder = Mutex<Reply?>(nil)

  var reply: Reply? { holder.withLock { $0 } }

  func set(_ reply: Reply) { holder.withLock { $0 = reply } }
}
