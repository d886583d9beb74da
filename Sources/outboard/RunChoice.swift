// RunChoice.swift: which run a command is for. SPDX-License-Identifier: MIT

import ArgumentParser
import Control

/// The run that is meant.
struct RunChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The run that is meant, where there are several; `outboard runs` lists them.",
      valueName: "name"))
  var run: String?

  /// Asks it something, and waits for the answer.
  func ask(_ request: ControlRequest) throws -> ControlReply {
    try ControlClient(run: run).ask(request)
  }
}
