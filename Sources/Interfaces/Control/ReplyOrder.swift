// ReplyOrder.swift: replies in the order of their commands. SPDX-License-Identifier: MIT

import HostModel
import Synchronization

/// Keeps replies until all replies to earlier commands have been sent. [any]
///
/// Commands end on several threads: values when they are published, queries on the thread of the client.
final class ReplyOrder: Sendable {
  private struct State {
    /// The position of the next command.
    var next = 0
    /// The position of the reply that is sent next.
    var due = 0
    /// The replies that wait for earlier ones; nil for a command without a reply.
    var waiting: [Int: ReplyMessage?] = [:]
  }

  private let state = Mutex(State())

  /// Returns the position of a command's reply, in the order of the calls.
  func takePosition() -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Calls `send` for a reply and for those that waited for it, in order, unless an earlier one is missing.
  func append(_ message: ReplyMessage?, at position: Int, send: (ReplyMessage?) -> Void) {
    state.withLock { state in
      state.waiting[position] = .some(message)
      while let message = state.waiting.removeValue(forKey: state.due) {
        state.due += 1
        send(message)
      }
    }
  }
}
