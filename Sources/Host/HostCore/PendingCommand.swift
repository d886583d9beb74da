// PendingCommand.swift: a command that waits for the main thread. SPDX-License-Identifier: MIT

import ErrorModel
import HostModel

/// A command on its way to the main thread, and where its reply goes.
struct PendingCommand: Sendable {
  let command: Command
  let client: ClientID
  /// Receives the reply once.
  let complete: @Sendable (Reply) -> Void
}

/// A command was not carried out, though there is nothing wrong with it.
enum HostStateError {
  /// The session is ending.
  static let ending = ErrorInfo(
    message: "The run is ending, so nothing was done.", kind: .ending)
}
