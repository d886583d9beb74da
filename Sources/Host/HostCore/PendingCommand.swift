// PendingCommand.swift: a command that waits for the main thread. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel

/// A command that waits for the main thread, and the receiver of its reply.
struct PendingCommand: Sendable {
  let command: Command
  let client: ClientID
  /// Receives the reply, exactly once.
  let complete: @Sendable (Reply) -> Void
}

/// Errors of commands that are correct but cannot be executed now.
enum HostStateError {
  /// The session is ending.
  static let ending = ErrorInfo(
    message: "The session is ending. The command was not executed.", kind: .ending)
}
