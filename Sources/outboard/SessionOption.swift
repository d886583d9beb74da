// SessionOption.swift: the option that selects a session. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import HostModel

/// Selects the session for a command.
struct SessionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Session name; see `outboard status`.",
      valueName: "name"))
  var session: String?

  /// Asks it something, and waits for the answer.
  func send(_ command: Command) throws -> Reply {
    try ControlClient(run: session).send(command)
  }

  /// Sends a command, and prints the messages of the reply.
  func sendAndPrint(_ command: Command) throws {
    for note in try send(command).notes { Terminal.error.writeLine("outboard: \(note)") }
  }
}
