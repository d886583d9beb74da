// ReplyOrderTests.swift: the order of replies, the last line, and clients that only observe. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits
import Testing

@testable import Control

@Suite final class `A client's connection`: Sendable {
  private let home: RuntimeDirectory
  private var environment: [String: String] { home.environment }

  init() throws { home = try RuntimeDirectory() }

  private func connected() throws -> UnixSocket { try home.connected() }

  private func send(_ command: Command, _ id: Int, _ socket: UnixSocket) {
    let line = CommandMessage(command, id: .integer(id)).line
    #expect(socket.send(line: Data(line.utf8), seconds: patienceSeconds))
  }

  @Test func `replies in order although later commands are done earlier`() throws {
    let isDone = DispatchSemaphore(value: 0)
    let run = try Run(
      "voice", environment,
      examine: { command in
        guard command.node != "first" else { return nil }
        if command.node == "last" { isDone.signal() }
        return ErrorInfo(message: command.node ?? "", kind: .usage)
      },
      meet: { command in
        // The value is published after all others have been refused.
        isDone.waitOrTrap()
        return Reply(notes: [command.node ?? ""])
      })
    defer { run.stop() }
    let socket = try connected()
    send(.set("first"), 1, socket)
    send(.set("refused"), 2, socket)
    #expect(socket.send(line: Data(#"{"id": 3}"#.utf8), seconds: patienceSeconds))
    send(.acknowledge(1), 4, socket)
    send(.set("last"), 5, socket)
    var rest = Data()
    for id in [1, 2, 3, 5] { #expect(try #require(socket.message(&rest)).id == .integer(id)) }
  }

  @Test func `carries out commands while one waits for a person`() throws {
    let run = try Run(
      "voice", environment,
      examine: { $0.waitsForPerson ? nil : ErrorInfo(message: "cancelled", kind: .usage) },
      meet: { _ in nil })
    defer { run.stop() }
    let socket = try connected()
    send(.learn(.init(target: "reverb.mix")), 1, socket)
    send(.learn(.init()), 2, socket)
    var rest = Data()
    #expect(try #require(socket.message(&rest)).id == .integer(2))
    run.stop()
    #expect(try #require(socket.message(&rest)).id == .integer(1))
  }

  @Test func `asks for a control once the session waits for it`() throws {
    let wasAsked = Atomic<Bool>(false)
    let run = try Run(
      "voice", environment,
      examine: { $0.name == .map ? ErrorInfo(message: "no mappings", kind: .usage) : nil },
      meet: { _ in wasAsked.load(ordering: .relaxed) ? Reply(notes: ["learned"]) : nil })
    defer { run.stop() }
    let other = try connected()
    let client = try ControlClient(run: "voice", environment: environment)
    let reply = try client.send(.learn(.init(target: "reverb.mix"))) {
      wasAsked.store(true, ordering: .relaxed)
      // A further command makes the session try again.
      send(.status, 3, other)
    }
    #expect(reply.notes == ["learned"])
  }

  @Test(arguments: [#"{"command": "undo"}"#, #"{"command": "undo""#])
  func `may end without a line break`(line: String) throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let socket = try connected()
    let bytes = Data((CommandMessage(.set("a")).line + "\n" + line).utf8)
    bytes.withUnsafeBytes { bytes in
      #expect(Glibc.send(socket.descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count)
    }
    shutdown(socket.descriptor, Int32(SHUT_WR))
    var rest = Data()
    #expect(socket.reply(&rest)?.notes == ["a"])
    let reply = try #require(socket.reply(&rest))
    if line.hasSuffix("}") {
      #expect(reply.notes == ["nothing"])
    } else {
      #expect(reply.error?.kind == .usage)
    }
    #expect(socket.line(&rest) == nil)
  }

  @Test func `works although the most possible clients receive events`() throws {
    let run = try Run("voice", environment, meet: Run.echo)
    defer { run.stop() }
    let displays = try (0 ..< ConnectionTable.subscriberLimit).map { _ in
      let client = try ControlClient(run: "voice", environment: environment)
      try client.ask(.subscribe(.init()))
      return client
    }
    let client = try ControlClient(run: "voice", environment: environment)
    #expect(try client.ask(.set("x")).notes == ["x"])
    let refusal = ErrorInfo(
      message: "32 clients receive events already, the most possible. Close one of them.",
      kind: .busy)
    #expect(throws: ControlError.refused(refusal)) { try client.ask(.subscribe(.init())) }
    #expect(try client.ask(.set("y")).notes == ["y"])
    // A display may subscribe again, and makes room when it ends that.
    try displays[0].ask(.subscribe(.init()))
    try displays[0].ask(.unsubscribe)
    try client.ask(.subscribe(.init()))
    // The rest of the connections is for commands, however many displays try.
    for number in 0 ..< 20 {
      let other = try ControlClient(run: "voice", environment: environment)
      #expect(try other.ask(.set("\(number)")).notes == ["\(number)"])
    }
  }
}
