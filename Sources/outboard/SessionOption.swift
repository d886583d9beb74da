// SessionOption.swift: the option that selects a session. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control

/// Selects the session for a command.
struct SessionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Session name; see `outboard status`.",
      valueName: "name"))
  var session: String?

  /// Sends a request and returns the answer.
  func ask(_ request: ControlRequest) throws -> ControlReply {
    try ControlClient(run: session).ask(request)
  }

  /// Sends a request and prints the messages of the answer.
  func askAndTell(_ request: ControlRequest) throws {
    for note in try ask(request).notes ?? [] { Terminal.error.writeLine("outboard: \(note)") }
  }
}
