// ControlLimitTests.swift: limits of clients, and sessions that do not reply. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits
import Testing

@testable import Control

@Suite final class `A session with misbehaving clients`: Sendable {
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }
  private var directory: String { home.path }

  init() throws { home = try RuntimeDirectory() }

  private var path: String { SocketDirectory.socket("voice", in: directory + "/outboard") }

  private func connected() throws -> UnixSocket { try home.connected() }

  @Test func `is available with any number of idle connections, and closes the oldest`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    var idle = try (0 ..< ConnectionTable.limit + 8).map { _ in try connected() }
    for number in 0 ..< 20 {
      let client = try ControlClient(run: "voice", environment: environment)
      #expect(try client.ask(.set("\(number)")).notes == ["\(number)"])
    }
    // The first is closed; the last still works.
    #expect(idle.removeFirst().isClosedByPeer())
    let last = try #require(idle.last)
    var rest = Data()
    #expect(last.send(line: Data(CommandMessage(.set("last")).line.utf8), seconds: patienceSeconds))
    #expect(last.reply(&rest)?.notes == ["last"])
  }

  @Test func `closes clients that never finish a request`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let slow = try (0 ..< ConnectionTable.limit).map { _ in try connected() }
    for socket in slow {
      #expect(send(socket.descriptor, "{", 1, Int32(MSG_NOSIGNAL)) == 1)
    }
    let client = try ControlClient(run: "voice", environment: environment)
    #expect(try client.ask(.set("x")).notes == ["x"])
  }

  @Test func `closes a connection whose request is incomplete after the time limit`() throws {
    var limits = ControlServer.Limits()
    limits.lineSeconds = 0.05
    let run = try Run("voice", environment, limits: limits, meet: Run.echo)
    defer { run.stop() }
    let slow = try connected()
    #expect(send(slow.descriptor, "{", 1, Int32(MSG_NOSIGNAL)) == 1)
    #expect(slow.isClosedByPeer())
  }

  @Test func `does not wait for a client that never reads its replies`() throws {
    let run = try Run("voice", environment) { _ in
      Reply(notes: [String(repeating: "x", count: 1 << 20)])
    }
    defer { run.stop() }
    let deaf = try (0 ..< ConnectionTable.limit).map { _ in try connected() }
    for socket in deaf {
      #expect(socket.send(line: Data(#"{"command": "status"}"#.utf8), seconds: patienceSeconds))
    }
    // Until its reply begins, a connection is busy, and is not closed for another one.
    for socket in deaf { #expect(socket.isReadable()) }
    let client = try ControlClient(run: "voice", environment: environment)
    #expect(try client.ask(.set("x")).notes.first?.utf8.count == 1 << 20)
    _ = deaf
  }

  @Test func `reports a request that is too long and closes the connection`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let talker = try connected()
    let flood = Data(repeating: 0x20, count: ClientLimits.longestRequestBytes + 70_000)
    // The server may close the connection before all of it is sent.
    _ = talker.send(line: flood, seconds: patienceSeconds)
    var rest = Data()
    let reply = talker.reply(&rest)
    #expect(
      reply?.error?.message
        == "The request is longer than 1 MiB, so the connection was closed.")
  }

  @Test func `refuses a connection if every other one runs a request`() throws {
    let run = try Run("voice", environment) { _ in nil }
    defer { run.stop() }
    let busy = try (0 ..< ConnectionTable.limit).map { _ in try connected() }
    for socket in busy {
      #expect(socket.send(line: Data(#"{"command": "undo"}"#.utf8), seconds: patienceSeconds))
    }
    while run.openCount < ConnectionTable.limit { sched_yield() }
    let refusal = ErrorInfo(
      message: "The session has 40 connections in use, the most possible. Close a client.",
      kind: .busy)
    #expect(throws: ControlError.refused(refusal)) {
      try ControlClient(run: "voice", environment: environment)
        .ask(.set("x"))
    }
    _ = busy
  }

  @Test func `parses requests on the threads of their connections`() throws {
    // One check waits until the other request has its reply.
    let isAnswered = DispatchSemaphore(value: 0)
    let run = try Run(
      "voice", environment,
      examine: { command in
        guard command.node == "slow" else { return nil }
        isAnswered.waitOrTrap()
        return ErrorInfo(message: "refused", kind: .usage)
      }, meet: Run.echo)
    defer { run.stop() }
    let slow = try connected()
    #expect(slow.send(line: Data(CommandMessage(.set("slow")).line.utf8), seconds: patienceSeconds))
    let client = try ControlClient(run: "voice", environment: environment)
    #expect(try client.ask(.set("quick")).notes == ["quick"])
    isAnswered.signal()
    var rest = Data()
    #expect(slow.reply(&rest)?.error?.message == "refused")
  }

  // MARK: - Runs that do not answer

  @Test func `is available although other sessions are stopped, and names them`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    // Sockets that nobody accepts on, like those of stopped processes.
    var stopped: [UnixSocket] = []
    for name in ["a", "b", "z"] {
      let path = SocketDirectory.socket(name, in: directory + "/outboard")
      stopped.append(try UnixSocket.listen(at: path).get())
    }
    #expect(
      try ControlClient(run: "voice", environment: environment).ask(.set("x")).notes == ["x"])
    let search = RunSearch(environment)
    #expect(search.names == ["a", "b", "voice", "z"])
    let answers = search.sendToAll(.status, seconds: 0.2)
    let silent = answers.filter {
      guard case .failure(.noResponse) = $0.reply else { return false }
      return true
    }
    // The other session replies in time unless the machine is very busy.
    #expect(Set(silent.map(\.name)).isSuperset(of: ["a", "b", "z"]))
    _ = stopped
  }

  @Test func `is distinguished from a session whose queue is full`() throws {
    try SocketDirectory.prepare(directory + "/outboard")
    let listener = try UnixSocket.listen(at: path).get()
    // A full accept queue, like that of a process that was stopped long ago.
    #expect(Glibc.listen(listener.descriptor, 0) == 0)
    var waiting: [UnixSocket] = []
    while case .success(let socket) = UnixSocket.connect(to: path, seconds: 0.05) {
      waiting.append(socket)
    }
    #expect(throws: ControlError.noResponse(name: "voice", seconds: 2, process: nil)) {
      try ControlClient(run: "voice", environment: environment)
    }
    // A new session does not replace the socket.
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    #expect(run.name == "voice-2")
    _ = waiting
  }

  @Test func `is reported with its process if that is stopped`() throws {
    let sleeper = Process()
    sleeper.executableURL = URL(fileURLWithPath: "/bin/sleep")
    sleeper.arguments = ["1000"]
    try sleeper.run()
    let number = sleeper.processIdentifier
    defer {
      kill(number, SIGKILL)
      sleeper.waitUntilExit()
    }
    let running = ControlError.noResponse(name: "voice", seconds: 10, process: number)
    #expect(
      running.description
        == "The session voice does not reply within 10 s; process \(number) may hang.")
    kill(number, SIGSTOP)
    while !ProcessState.isStopped(number) { sched_yield() }
    #expect(
      running.description
        == "The session voice does not reply within 10 s, as process \(number) is stopped; `kill -CONT"
        + " \(number)` continues it.")
  }
}
