// Run.swift: a session that accepts requests, and a client that sends any bytes. SPDX-License-Identifier: MIT

import ErrorModel
import Foundation
import HostModel
import Synchronization
import TestWaits

@testable import Control

/// A session whose commands are handled by a function, in their order, on a separate thread.
final class Run: CommandPort {
  private struct Job {
    let command: Command
    let complete: @Sendable (Reply) -> Void
  }

  private struct State {
    var lastClient = 0
    var sinks: [ClientID: @Sendable (SharedEvent) -> Void] = [:]
    var jobs: [Job] = []
    var isClosed = false
  }

  /// Carries out a command; nil if it is never done.
  private let meet: @Sendable (Command) -> Reply?
  /// Examines a command on the thread of its connection.
  private let examine: @Sendable (Command) -> ErrorInfo?
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)
  private let server = Mutex<ControlServer?>(nil)

  init(
    _ name: String, _ environment: [String: String],
    limits: ControlServer.Limits = ControlServer.Limits(),
    examine: @escaping @Sendable (Command) -> ErrorInfo? = { _ in nil },
    meet: @escaping @Sendable (Command) -> Reply?
  ) throws {
    (self.meet, self.examine) = (meet, examine)
    let server = try ControlServer(
      named: name, environment: environment, limits: limits, port: self)
    self.server.withLock { $0 = server }
    Thread.detachNewThread { self.work() }
  }

  /// Returns the node of a command as a note, and the identifier of a client that subscribes.
  static func echo(_ command: Command) -> Reply {
    guard case .subscribe = command else { return Reply(notes: [command.node ?? "nothing"]) }
    return Reply(.subscribed(.init(client: ClientID(1), snapshot: nil)))
  }

  /// The name.
  var name: String { server.withLock { $0?.name } ?? "" }

  private func work() {
    while true {
      arrival.waitOrTrap()
      let (job, isOver) = state.withLock { state -> (Job?, Bool) in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
      }
      if let job, let reply = meet(job.command) {
        job.complete(reply)
      } else if let job {
        state.withLock { $0.jobs.append(job) }
      }
      if isOver { return }
    }
  }

  func connect(deliver: @escaping @Sendable (SharedEvent) -> Void) -> ClientID {
    state.withLock { state in
      state.lastClient += 1
      state.sinks[ClientID(state.lastClient)] = deliver
      return ClientID(state.lastClient)
    }
  }

  func disconnect(_ client: ClientID) { state.withLock { $0.sinks[client] = nil } }

  func submit(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) -> CommandProgress {
    if let error = examine(command) {
      completion(Reply(error))
    } else {
      state.withLock { $0.jobs.append(Job(command: command, complete: completion)) }
      arrival.signal()
    }
    // Commands that set something need no reply first.
    return command.name == .set || command.waitsForPerson ? .canContinue : .waitsForReply
  }

  /// The number of commands in the queue.
  var openCount: Int { state.withLock { $0.jobs.count } }
  /// The number of clients.
  var clientCount: Int { state.withLock { $0.sinks.count } }

  /// Sends an event to all clients.
  func send(_ event: Event) {
    let shared = SharedEvent(EventMessage(seconds: 1, event))
    for sink in state.withLock({ Array($0.sinks.values) }) { sink(shared) }
  }

  func stop() {
    let rest = state.withLock { state in
      defer { state.jobs = [] }
      state.isClosed = true
      return state.jobs
    }
    for job in rest {
      job.complete(
        Reply(
          ErrorInfo(message: "The session is ending. The command was not executed.", kind: .ending))
      )
    }
    arrival.signal()
    server.withLock { $0 }?.stop()
  }
}

extension Command {
  /// The node that it names.
  var node: String? { if case .set(let set) = self { set.node } else { nil } }

  /// Sets values of a node.
  static func set(_ node: String) -> Command {
    .set(.init(node: node, values: [.init("mix", "1")]))
  }
}

extension UnixSocket {
  /// Returns the next reply, with a time limit for very busy machines.
  func reply(_ rest: inout Data) -> Reply? { message(&rest)?.reply }

  /// The same, together with the identifier that it repeats.
  func message(_ rest: inout Data) -> ReplyMessage? {
    line(&rest).flatMap { JSONLine.read(ReplyMessage.self, $0) }
  }

  /// The next line.
  func line(_ rest: inout Data) -> Data? {
    let read = readLine(&rest, idleSeconds: 60, lineSeconds: 60, longestBytes: 1 << 24)
    guard case .line(let line) = read else { return nil }
    return line
  }

  /// Waits until something was received, or the peer has closed the connection.
  func isReadable() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 60_000) == 1
  }

  /// Returns whether the other side closes the connection without a further reply.
  func isClosedByPeer() -> Bool {
    var rest = Data()
    let read = readLine(&rest, idleSeconds: 60, lineSeconds: 60, longestBytes: 1 << 24)
    guard case .ended = read else { return false }
    return true
  }
}

extension ControlClient {
  /// Sends a command, and waits longer for the reply than a user does.
  @discardableResult
  func ask(_ command: Command) throws(ControlError) -> Reply {
    try send(command, seconds: patienceSeconds)
  }
}
