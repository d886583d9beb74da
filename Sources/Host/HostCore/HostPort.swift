// HostPort.swift: accepts commands for a host from any thread. SPDX-License-Identifier: MIT

import CRealtime
package import HostModel
import MIDIClock
import Synchronization

/// Accepts commands from any thread.
///
/// Values of plain parameters take effect at once; everything else waits for the main thread.
package final class HostPort: CommandPort {
  private struct State {
    var lastClient = 0
    var sinks: [ClientID: @Sendable (SharedEvent) -> Void] = [:]
    var commands: [PendingCommand] = []
    var isClosed = false
  }

  let mailbox = ParameterMailbox()
  let levels = LevelStreams()
  private let taps = Mutex(TapTempo())
  private let state = Mutex(State())
  private let wake: @Sendable () -> Void
  private let examine: @Sendable (Command) -> ErrorInfo?
  /// Answers commands about plugins and files; nil if there are none.
  private let queries: (any LibraryQueries)?

  /// Creates a port whose host is woken by `wake`, on any thread.
  ///
  /// `examine` returns an error if a command must not reach the main thread. It is called on the
  /// client's thread, and may block.
  init(
    wake: @escaping @Sendable () -> Void, queries: (any LibraryQueries)? = nil,
    examine: @escaping @Sendable (Command) -> ErrorInfo? = { PathProbe.refusal(of: $0) }
  ) {
    (self.wake, self.queries, self.examine) = (wake, queries, examine)
  }

  /// Registers a client. [any]
  package func connect(deliver: @escaping @Sendable (SharedEvent) -> Void) -> ClientID {
    state.withLock { state in
      state.lastClient += 1
      let client = ClientID(state.lastClient)
      state.sinks[client] = deliver
      return client
    }
  }

  /// Removes a client. [any]
  package func disconnect(_ client: ClientID) {
    // The sink is freed outside the lock.
    _ = state.withLock { $0.sinks.removeValue(forKey: client) }
    levels.remove(client)
  }

  /// Submits a command; `completion` receives the reply on any thread. [any]
  package func submit(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) -> CommandProgress {
    if case .set(let values) = command, !values.isScene {
      switch mailbox.post(values, from: client, completion) {
      case .posted(let isFirst):
        if isFirst { wake() }
        return .canContinue
      case .needsMainThread: break
      }
    }
    if case .transport(let change) = command, change.action == .tap {
      submitDirectly(tap(at: crealtime_nanoseconds()), from: client, completion: completion)
      return .waitsForReply
    }
    if case .acknowledge(let sequence) = command {
      levels.acknowledge(sequence, by: client)
      completion(Reply())
      return .canContinue
    }
    if let reply = examine(command).map({ Reply($0) }) ?? queries?.answer(command) {
      if case .plugin = command, reply.error != nil {
        // A plugin that is not installed can be part of the rig: a built-in node, or a module from a source file.
        submitDirectly(command, from: client) { completion($0.error == nil ? $0 : reply) }
      } else {
        completion(reply)
      }
      return .waitsForReply
    }
    submitDirectly(command, from: client, completion: completion)
    return command.waitsForPerson ? .canContinue : .waitsForReply
  }

  /// Sets a plain parameter in the next block, without a reply; false if only a command can do this. [any]
  package func set(
    _ symbol: String, ofNode node: String, to value: Float, from client: ClientID
  ) -> Bool {
    guard case .posted(let isFirst) = mailbox.post(symbol, ofNode: node, value, from: client) else {
      return false
    }
    if isFirst { wake() }
    return true
  }

  /// Returns the command of a tap at `time`, CLOCK_MONOTONIC in ns, with the tempo unless it is the first one. [any]
  func tap(at time: UInt64) -> Command {
    let tempo = taps.withLock { $0.tap(at: time) }
    return .transport(.init(tempo: tempo.map { ($0 * 10).rounded() / 10 }, action: .tap))
  }

  /// Submits a command without paths, so that nothing blocks. [any]
  func submitDirectly(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) {
    let isOpen = state.withLock { state in
      if !state.isClosed {
        state.commands.append(
          PendingCommand(command: command, client: client, complete: completion))
      }
      return !state.isClosed
    }
    if isOpen { wake() } else { completion(Reply(HostStateError.ending)) }
  }

  /// Whether a client is connected. [any]
  func isConnected(_ client: ClientID) -> Bool { state.withLock { $0.sinks[client] != nil } }

  /// Sends an event to some clients without waiting. [main]
  func deliver(_ event: SharedEvent, to clients: [ClientID]) {
    let sinks = state.withLock { state in clients.compactMap { state.sinks[$0] } }
    for sink in sinks { sink(event) }
  }

  /// Returns and clears the commands received since the last call. [main]
  func takeCommands() -> [PendingCommand] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Accepts no more commands and completes the waiting ones with an error. [any]
  package func close() {
    let rest = state.withLock { state in
      defer { state.commands = [] }
      state.isClosed = true
      return state.commands
    }
    for command in rest { command.complete(Reply(HostStateError.ending)) }
    mailbox.close()
  }
}
