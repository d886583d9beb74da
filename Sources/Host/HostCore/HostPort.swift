// HostPort.swift: the door of a host. SPDX-License-Identifier: MIT

package import HostModel
import Synchronization

/// Takes commands from any thread. Values of plain parameters take effect at once; everything else waits for the
/// main thread.
package final class HostPort: CommandPort {
  private struct State {
    var lastClient = 0
    var sinks: [ClientID: @Sendable (SharedEvent) -> Void] = [:]
    var commands: [PendingCommand] = []
    var isClosed = false
  }

  let mailbox = ParameterMailbox()
  private let state = Mutex(State())
  private let wake: @Sendable () -> Void
  private let examine: @Sendable (Command) -> ErrorInfo?

  /// A port whose host is woken by `wake`, on any thread.
  ///
  /// - Parameter examine: returns why a command must not reach the main thread; called on the client's thread,
  ///   and may wait.
  init(
    wake: @escaping @Sendable () -> Void,
    examine: @escaping @Sendable (Command) -> ErrorInfo? = { PathProbe.refusal(of: $0) }
  ) {
    (self.wake, self.examine) = (wake, examine)
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

  /// Forgets a client. [any]
  package func disconnect(_ client: ClientID) {
    // Freed outside of the lock.
    _ = state.withLock { $0.sinks.removeValue(forKey: client) }
  }

  /// Has a command carried out. [any]
  package func submit(
    _ command: Command, from client: ClientID, completion: @escaping @Sendable (Reply) -> Void
  ) -> CommandPace {
    if case .set(let values) = command {
      switch mailbox.post(values, from: client, completion) {
      case .posted(let isFirst):
        if isFirst { wake() }
        return .mayContinue
      case .needsMainThread: break
      }
    }
    if let error = examine(command) {
      completion(Reply(error))
      return .waitsForReply
    }
    let isOpen = state.withLock { state in
      if !state.isClosed {
        state.commands.append(
          PendingCommand(command: command, client: client, complete: completion))
      }
      return !state.isClosed
    }
    if isOpen { wake() } else { completion(Reply(HostStateError.ending)) }
    return .waitsForReply
  }

  /// Whether a client is there. [any]
  func isConnected(_ client: ClientID) -> Bool { state.withLock { $0.sinks[client] != nil } }

  /// Hands an event to some clients, without waiting for any. [main]
  func deliver(_ event: SharedEvent, to clients: [ClientID]) {
    let sinks = state.withLock { state in clients.compactMap { state.sinks[$0] } }
    for sink in sinks { sink(event) }
  }

  /// The commands that have come since the last call. [main]
  func takeCommands() -> [PendingCommand] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Takes no more commands; those that wait are told. [any]
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
