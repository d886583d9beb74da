// AgreementTests.swift: clients that edit a session, and their final states. SPDX-License-Identifier: MIT

import Foundation
import HostCore
import HostModel
import Synchronization
import TestRandom
import Testing

@testable import Control

@Suite(.serialized) final class `Clients of a host` {
  private let test: TestHost

  init() throws { test = try TestHost() }

  /// A client in this process.
  private final class Client: Sendable {
    struct State {
      var replica = Replica()
      var openCount = 0
    }

    let state = Mutex(State())
    let id = Mutex(ClientID(0))

    init(_ port: HostPort) {
      let id = port.connect { [state = self] event in
        state.state.withLock { $0.replica.take(event.message) }
      }
      self.id.withLock { $0 = id }
    }

    func send(_ command: Command, _ port: HostPort) {
      state.withLock { $0.openCount += 1 }
      _ = port.submit(command, from: id.withLock { $0 }) { reply in
        self.state.withLock { state in
          state.openCount -= 1
          state.replica.take(reply)
        }
      }
    }

    var isWaiting: Bool { state.withLock { $0.openCount > 0 } }
    var replica: Replica { state.withLock { $0.replica } }
  }

  @Test func `agree after random edits, and each change is sent once`() throws {
    let port = test.host.port
    let clients = (0 ..< 20).map { _ in Client(port) }
    for client in clients { client.send(.subscribe(.init(events: [.changed])), port) }
    try test.turn()
    var random = Random(seed: 20)
    let files = [test.path("rig.yaml"), test.path("other.yaml"), test.path("missing.yaml")]
    for _ in 0 ..< 4_000 {
      clients.randomElement(using: &random)?.send(random.command(files: files), port)
      if Int.random(in: 0 ..< 8, using: &random) == 0 { test.host.serve() }
      if Int.random(in: 0 ..< 24, using: &random) == 0 { try test.turn() }
    }
    while clients.contains(where: \.isWaiting) || test.host.isBusy {
      try test.turn()
      sched_yield()
    }
    try test.turn()
    let end = test.host.snapshot
    #expect(end.revision > 500)
    for client in clients {
      #expect(client.replica.faults.isEmpty)
      #expect(client.replica.snapshot == end)
      #expect(client.replica.replyCount > 0 && client.replica.eventCount > 0)
    }
    // The published state equals the current one.
    let fresh = Client(port)
    fresh.send(.subscribe(.init()), port)
    try test.turn()
    #expect(fresh.replica.snapshot == end)
  }

  @Test func `that reconnect get the changes that they missed`() throws {
    let port = test.host.port
    let client = Client(port)
    client.send(.subscribe(.init(events: [.changed])), port)
    try test.turn()
    client.send(.unsubscribe, port)
    try test.turn()
    for number in 0 ..< 10 {
      _ = try test.reply(.set("c", "bypass", number % 2 == 0 ? "on" : "off"))
    }
    let known = try #require(client.replica.snapshot?.revision)
    #expect(test.host.revision == known + 10)
    client.send(.subscribe(.init(events: [.changed], revision: known)), port)
    try test.turn()
    #expect(client.replica.faults.isEmpty && client.replica.eventCount == 10)
    #expect(client.replica.snapshot == test.host.snapshot)
    // A revision that does not exist yet belongs to another session.
    let stranger = Client(port)
    stranger.send(.subscribe(.init(revision: known + 1_000)), port)
    try test.turn()
    #expect(stranger.replica.snapshot == test.host.snapshot)
  }

  @Test func `agree over the socket`() throws {
    let directory = "/tmp/outboard-host-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try ControlServer(
      named: "test", environment: ["XDG_RUNTIME_DIR": directory], port: test.host.port)
    defer { server.stop() }
    let path = SocketDirectory.socket("test", in: directory + "/outboard")
    let files = [test.path("rig.yaml"), test.path("other.yaml")]
    let remotes = try (0 ..< 20).map { number in
      RemoteClient(
        try UnixSocket.connect(to: path, seconds: 60).get(), seed: UInt64(number), files)
    }
    // `scripts/soak clients` sets the time.
    let soakSeconds = ProcessInfo.processInfo.environment["OUTBOARD_SOAK_SECONDS"].flatMap(
      Double.init)
    for remote in remotes {
      Thread.detachNewThread {
        if let soakSeconds {
          remote.soak(until: .now + .seconds(soakSeconds))
        } else {
          remote.work(editCount: 150)
        }
      }
    }
    while !remotes.allSatisfy(\.isDone) || test.host.isBusy {
      try test.turn()
      sched_yield()
    }
    // Each reads until it receives the last change.
    let change = try test.reply(.scene(.store("the end"))).change
    let end = try #require(change?.revision)
    for remote in remotes { remote.read(until: end) }
    for remote in remotes {
      #expect(remote.replica.faults.isEmpty)
      #expect(remote.replica.snapshot == test.host.snapshot)
    }
    if soakSeconds != nil { print("\(end) revisions, \(remotes.count) clients, equal states") }
  }

  /// A client at the socket, on a separate thread until it is done.
  private final class RemoteClient: @unchecked Sendable {
    // Unchecked because one thread uses it until `isDone`, and the test from then on.

    private let socket: UnixSocket
    private var random: Random
    private let files: [String]
    private var rest = Data()
    private(set) var replica = Replica()
    private let done = Atomic<Bool>(false)

    init(_ socket: UnixSocket, seed: UInt64, _ files: [String]) {
      (self.socket, random, self.files) = (socket, Random(seed: seed), files)
    }

    var isDone: Bool { done.load(ordering: .acquiring) }

    func work(editCount: Int) {
      subscribe()
      edit(editCount)
      done.store(true, ordering: .releasing)
    }

    /// Edits in bursts with random pauses, as people and programs do.
    func soak(until end: ContinuousClock.Instant) {
      subscribe()
      while ContinuousClock.now < end {
        edit(Int.random(in: 1 ... 32, using: &random))
        usleep(UInt32.random(in: 0 ... 1_000_000, using: &random))
      }
      done.store(true, ordering: .releasing)
    }

    private func subscribe() {
      send(.subscribe(.init(events: [.changed])))
      read(replies: 1)
    }

    private func edit(_ count: Int) {
      var open = 0
      for _ in 0 ..< count {
        send(random.command(files: files))
        open += 1
        if open == 8 || Bool.random(using: &random) {
          read(replies: open)
          open = 0
        }
      }
      read(replies: open)
    }

    private func send(_ command: Command) {
      _ = socket.send(line: Data(CommandMessage(command).line.utf8), seconds: 60)
    }

    private func read(replies count: Int) {
      var rest = count
      while rest > 0, let isReply = readLine() { rest -= isReply ? 1 : 0 }
    }

    func read(until revision: UInt64) {
      while replica.snapshot?.revision ?? revision < revision, readLine() != nil {}
    }

    /// Whether the next line is a reply; nil at the end.
    private func readLine() -> Bool? {
      let read = socket.readLine(
        &rest, idleSeconds: 60, lineSeconds: 60, longestBytes: 1 << 24)
      guard case .line(let line) = read else { return nil }
      if let event = JSONLine.read(EventMessage.self, line) {
        replica.take(event)
        return false
      }
      if let message = JSONLine.read(ReplyMessage.self, line) { replica.take(message.reply) }
      return true
    }
  }
}
