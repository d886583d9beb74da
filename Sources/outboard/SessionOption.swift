// SessionOption.swift: the option that selects a session. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import HostModel
import Synchronization

/// Selects the session for a command.
struct SessionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Session name; see `outboard status`.",
      valueName: "name"))
  var session: String?

  /// The session of commands without the option; nil but in `outboard shell`.
  static let standard = Mutex<String?>(nil)

  /// The name of the session; nil for the only one.
  var name: String? { session ?? Self.standard.withLock { $0 } }

  /// Asks it something, and waits for the answer.
  func send(_ command: Command) throws -> Reply {
    try ControlClient(run: name).send(command)
  }

  /// Sends a command, and prints the messages of the reply.
  func sendAndPrint(_ command: Command) throws {
    for note in try send(command).notes { Terminal.error.writeLine("outboard: \(note)") }
  }
}
