// ControlChannelTests.swift: displays: commands and events of one connection, and the state. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits
import Testing

@testable import Control

@Suite final class ControlChannelTests: Sendable {
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }

  init() throws { home = try RuntimeDirectory() }

  /// What a channel has received, as words.
  private final class Received: Sendable {
    private let words = Mutex<[String]>([])

    func take(_ message: ControlChannel.Message) {
      let word =
        switch message {
        case .reply(let reply): "reply \(reply.id?.line ?? "none")"
        case .event(let event): "event \(event.event.kind)"
        case .ended(let error): "ended \(error.kind)"
        }
      words.withLock { $0.append(word) }
    }

    func wait(_ condition: ([String]) -> Bool) throws -> [String] {
      let deadline = Deadline()
      while true {
        let found = words.withLock { $0 }
        if condition(found) { return found }
        try deadline.rest()
      }
    }
  }

  @Test func `commands, replies and events pass each other`() throws {
    let run = try Run("voice", environment) { command in
      guard case .subscribe = command else { return Reply() }
      return Reply(.subscribed(.init(client: ClientID(1), snapshot: nil)))
    }
    let received = Received()
    let channel = try ControlChannel(run: nil, environment: environment) { received.take($0) }
    #expect(channel.name == "voice")
    #expect(channel.send(.init(.subscribe(.init()), id: .integer(1))))
    _ = try received.wait { $0 == ["reply 1"] }
    run.send(.notice(.init(.note("hello"))))
    #expect(channel.send(.init(.undo, id: .integer(2))))
    let both = try received.wait { $0.count == 3 }
    #expect(Set(both) == ["reply 1", "event notice", "reply 2"])
    run.stop()
    channel.close()
    #expect(try received.wait { $0.count == 4 }.last == "ended failure")
  }

  @Test func `a channel that is closed ends once`() throws {
    let run = try Run("voice", environment) { _ in Reply() }
    defer { run.stop() }
    let received = Received()
    let channel = try ControlChannel(run: "voice", environment: environment) { received.take($0) }
    channel.close()
    channel.close()
    _ = try received.wait { !$0.isEmpty }
    #expect(throws: ControlError.unknown(name: "nobody", running: ["voice"])) {
      _ = try ControlChannel(run: "nobody", environment: self.environment) { _ in }
    }
  }

  // MARK: - The state

  private func change(_ revision: UInt64, _ value: Float) -> Event.Changed {
    .init(
      revision: revision, source: .client,
      changes: [.parameter(node: "a", symbol: "x", value: value)])
  }

  private func mirror() -> SessionMirror {
    var mirror = SessionMirror()
    mirror.restore(
      Snapshot(
        revision: 5,
        state: SessionState(
          rig: "r",
          nodes: [.init(name: "a", plugin: "p", parameters: [.init(symbol: "x", value: 0)])])))
    return mirror
  }

  @Test func `changes are applied once, and in order`() {
    var mirror = mirror()
    func value() -> Float? { mirror.state.nodes.first?.parameters.first?.value }
    #expect(mirror.apply(change(5, 9)) == [])
    #expect(mirror.apply(change(7, 2)) == [])
    #expect(value() == 0)
    #expect(mirror.apply(change(6, 1)).count == 2)
    #expect((mirror.revision, value()) == (7, 2))
    #expect(mirror.apply(change(6, 8)) == [])
    #expect(value() == 2)
  }

  @Test func `without a snapshot there is no state, and a new one replaces everything`() {
    var mirror = SessionMirror()
    #expect(mirror.apply(change(1, 1)) == [])
    #expect(mirror.revision == nil)
    mirror = self.mirror()
    _ = mirror.apply(change(8, 3))
    mirror.restore(Snapshot(revision: 7, state: SessionState(rig: "other")))
    #expect(mirror.apply(change(9, 4)) == [])
    #expect(mirror.state.rig == "other")
    #expect(mirror.revision == 7)
  }
}
