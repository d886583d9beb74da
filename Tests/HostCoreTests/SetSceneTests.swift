// SetSceneTests.swift: tests of `set` for several nodes and over time. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel
import PluginModel
import Session
import Testing

@testable import HostCore

@Suite struct `Values of several nodes` {
  private func set(_ values: [(String, String)], over: Double? = nil) -> Command {
    .set(.init(node: "", values: values.map { .init($0.0, $0.1) }, over: over))
  }

  private func value(_ test: TestHost, _ node: String, _ symbol: String) -> Float? {
    test.host.snapshot.state.nodes.first { $0.name == node }?.parameters
      .first { $0.symbol == symbol }?.value
  }

  /// Runs the host until no value moves.
  private func settle(_ test: TestHost) throws {
    repeat { try test.turn() } while test.host.session.isMorphing
    try test.turn()
  }

  @Test func `are set with one command, which is one step of the history`() throws {
    let test = try TestHost()
    let reply = try test.reply(
      set([
        ("a.gain", "-7"), ("b.time", "200 ms"), ("c.bypass", "on"), ("a -> b.gain", "-3"),
      ]))
    #expect(reply.error == nil)
    try settle(test)
    #expect(value(test, "a", "gain") == -7)
    #expect(value(test, "b", "time") == 200)
    let state = test.host.snapshot.state
    #expect(state.nodes.first { $0.name == "c" }?.bypass == true)
    #expect(state.connections.first { $0.name == "a -> b" }?.gain == -3)
    _ = try test.reply(.undo)
    try settle(test)
    #expect(value(test, "a", "gain") == 0)
    #expect(value(test, "b", "time") == 100)
    #expect(test.host.snapshot.state.nodes.first { $0.name == "c" }?.bypass == false)
  }

  @Test(arguments: [
    ("a.gian", "1"), ("x.gain", "1"), ("a.gain", "loud"), ("a -> x.gain", "-3"),
    ("a.bypass", "maybe"), ("b.preset", "Nothing like it"),
  ])
  func `change nothing if one of them is invalid`(symbol: String, text: String) throws {
    let test = try TestHost()
    let reply = try test.reply(set([("c.gain", "-7"), (symbol, text)]))
    #expect(reply.error?.kind == .usage)
    #expect(reply.error?.message.contains("scenes.") == false)
    #expect(value(test, "c", "gain") == 0)
    #expect(try test.reply(.undo).error != nil)
  }

  @Test func `may be relative, and are limited to their range`() throws {
    let test = try TestHost()
    _ = try test.reply(.set("a", "gain", "-10"))
    let reply = try test.reply(set([("a.gain", "+=4"), ("c.gain", "1000")]))
    #expect(reply.notes.count == 1)
    try settle(test)
    #expect(value(test, "a", "gain") == -6)
    #expect(value(test, "c", "gain") ?? 0 > 0)
  }

  @Test func `name nodes in any letter case, also if bypass and wet are relative`() throws {
    let test = try TestHost()
    let reply = try test.reply(
      set([("A.Gain", "-4"), ("C.bypass", "toggle"), ("B.wet", "-=25")]))
    #expect(reply.error == nil)
    try settle(test)
    #expect(value(test, "a", "gain") == -4)
    var nodes = test.host.snapshot.state.nodes
    #expect(nodes.first { $0.name == "c" }?.bypass == true)
    #expect(nodes.first { $0.name == "b" }?.wet == 0.75)
    _ = try test.reply(set([("a.gain", "-5"), ("c.bypass", "toggle")]))
    try settle(test)
    nodes = test.host.snapshot.state.nodes
    #expect(nodes.first { $0.name == "c" }?.bypass == false)
  }

  @Test func `move over time, switches in the middle of it`() throws {
    let test = try TestHost()
    _ = try test.reply(set([("a.gain", "-40"), ("c.mute", "on")], over: 0.3))
    var passed: Set<Float> = []
    while test.host.session.isMorphing {
      try test.turn()
      if let gain = value(test, "a", "gain") {
        passed.insert(gain)
        if gain > -18 { #expect(value(test, "c", "mute") == 0) }
      }
    }
    try test.turn()
    #expect(passed.count > 3)
    #expect(value(test, "a", "gain") == -40)
    #expect(value(test, "c", "mute") == 1)
  }

  @Test func `of one node move too`() throws {
    let test = try TestHost()
    let reply = try test.reply(
      .set(.init(node: "a", values: [.init("gain", "-40")], over: 0.05)))
    #expect(reply.error == nil)
    try settle(test)
    #expect(value(test, "a", "gain") == -40)
  }

  @Test(arguments: [-1, 1e9])
  func `refuse a time out of range`(seconds: Double) throws {
    let test = try TestHost()
    let reply = try test.reply(set([("a.gain", "-7")], over: seconds))
    #expect(reply.error?.kind == .usage)
    #expect(value(test, "a", "gain") == 0)
  }

  @Test func `a preset of a module moves all its values`() throws {
    let test = try TestHost()
    let member = try #require(
      test.host.session.nodeValues.first { $0.name == "b" && !$0.plugin.presets.isEmpty })
    let preset = member.plugin.presets[0]
    _ = try test.reply(
      .set(.init(node: "b", values: [.init("preset", preset.name.uppercased())], over: 0.05)))
    try settle(test)
    for expected in preset.values {
      let symbol = member.plugin.parameters[expected.parameter].symbol
      #expect(value(test, "b", symbol) == expected.value)
    }
    _ = try test.reply(.undo)
    try settle(test)
    #expect(value(test, "b", "time") == 100)
  }
}
