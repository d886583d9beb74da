// SessionOption.swift: the session that a command is for. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control

/// The session that a command is for.
struct SessionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Session name; see `outboard status`.",
      valueName: "name"))
  var session: String?

  /// Asks it something, and waits for the answer.
  func ask(_ request: ControlRequest) throws -> ControlReply {
    try ControlClient(run: session).ask(request)
  }

  /// Asks it something, and prints what is worth knowing of the answer.
  func askAndTell(_ request: ControlRequest) throws {
    for note in try ask(request).notes ?? [] { Terminal.error.writeLine("outboard: \(note)") }
  }
}
