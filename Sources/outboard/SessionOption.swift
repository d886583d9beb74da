// SessionOption.swift: which run a command is for. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control

/// The run that is meant.
struct SessionOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The run that is meant, where there are several; `outboard runs` lists them.",
      valueName: "name"))
  var run: String?

  /// Asks it something, and waits for the answer.
  func ask(_ request: ControlRequest) throws -> ControlReply {
    try ControlClient(run: run).ask(request)
  }

  /// Asks it something, and prints what is worth knowing of the answer.
  func askAndTell(_ request: ControlRequest) throws {
    for note in try ask(request).notes ?? [] { Terminal.error.writeLine("outboard: \(note)") }
  }
}
