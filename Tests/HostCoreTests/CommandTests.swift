// CommandTests.swift: commands are executed completely or not at all. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostCore
import HostModel
import Session
import Synchronization
import Testing

@Suite(.serialized) final class `A host` {
  private let test: TestHost

  init() throws { test = try TestHost() }

  private func value(_ node: String, _ symbol: String) throws -> Float {
    try test.turn()
    let state = test.host.snapshot.state
    let found = try #require(state.nodes.first { $0.name == node })
    return try #require(found.parameters.first { $0.symbol == symbol }).value
  }

  @Test func `changes nothing if one value of several is wrong`() throws {
    let before = test.host.snapshot
    let wrong: [[Command.Assignment]] = [
      [.init("gain", "-12"), .init("mute", "banana")],
      [.init("gain", "-12"), .init("bypass", "banana")],
      [.init("bypass", "on"), .init("nothing", "1")],
      [.init("wet", "50 %"), .init("bypass", "banana"), .init("gain", "3")],
    ]
    for values in wrong {
      let reply = try test.reply(.set(.init(node: "a", values: values)))
      #expect(reply.error?.kind == .usage && reply.change == nil)
      try test.turn()
      #expect(test.host.snapshot == before)
    }
    let gone = try test.reply(.load(.init(file: test.path("missing.yaml"))))
    #expect(gone.error != nil && test.host.snapshot == before)
    #expect(try test.reply(.undo).error?.kind == .usage)
  }

  @Test func `sets values in the order in which they were sent`() throws {
    let values: [Command.Assignment] = [
      .init("gain", "-1"), .init("mute", "on"), .init("gain", "-3"), .init("balance", "0.5"),
    ]
    let reply = try test.reply(.set(.init(node: "a", values: values)))
    #expect(
      reply.change?.changes == [
        .parameter(node: "a", symbol: "gain", value: -3),
        .parameter(node: "a", symbol: "mute", value: 1),
        .parameter(node: "a", symbol: "balance", value: 0.5),
      ])
    #expect(try value("a", "gain") == -3)
  }

  @Test func `gives each change the next revision, and no revision without a change`() throws {
    #expect(test.host.revision == 0)
    #expect(try test.reply(.set("a", "gain", "-6")).change?.revision == 1)
    #expect(try test.reply(.set("a", "gain", "-6")).change == nil)
    #expect(try test.reply(.set("c", "bypass", "on")).change?.revision == 2)
    #expect(
      try test.reply(.undo).change?.changes == [.bypass(node: "c", isOn: false)])
    let load = try test.reply(.load(.init(file: test.path("other.yaml"))))
    #expect(load.change?.revision == 4 && load.change?.changes.map(\.kind) == [.rig])
    for command in [.status, .top, .scene(.list), .meters(.init())] as [Command] {
      #expect(try test.reply(command).error == nil)
    }
    #expect(test.host.revision == 4)
    guard case .status(let status)? = try test.reply(.status).result else {
      Issue.record("no status")
      return
    }
    #expect(status.revision == 4 && status.nodes.map(\.name) == ["d", "a", "b", "c"])
  }

  @Test func `publishes values during a morph as changes of the session`() throws {
    let seen = Box()
    let client = test.host.port.connect { event in
      if case .changed(let changed) = event.message.event {
        seen.changes.withLock { $0.append(changed) }
      }
    }
    _ = try test.reply(.subscribe(.init(events: [.changed])), from: client)
    _ = try test.reply(.scene(.recall("slow", over: nil)), from: client)
    while test.host.session.isMorphing { try test.turn() }
    try test.turn()
    let changes = seen.changes.withLock { $0 }
    #expect(!changes.isEmpty && changes.allSatisfy { $0.source == .scene && $0.client == nil })
    #expect(try value("a", "gain") == 6)
  }

  private final class Box: Sendable {
    let changes = Mutex<[Event.Changed]>([])
  }

  @Test func `ends waiting requests when it ends`() throws {
    let client = test.host.port.connect { _ in }
    let kinds = Kinds()
    for command in [.set("a", "gain", "1"), .status, .undo] as [Command] {
      _ = test.host.port.submit(command, from: client) { reply in
        kinds.all.withLock { $0.append(reply.error?.kind) }
      }
    }
    test.host.stop()
    _ = test.host.port.submit(.status, from: client) { reply in
      kinds.all.withLock { $0.append(reply.error?.kind) }
    }
    // Commands that took effect are acknowledged.
    #expect(kinds.all.withLock { $0 } == [nil, .ending, .ending, .ending])
  }

  private final class Kinds: Sendable {
    let all = Mutex<[ErrorKind?]>([])
  }
}
