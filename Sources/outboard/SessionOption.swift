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

  /// The connection of commands without the option; nil but in `outboard shell`.
  static let shell = Mutex<ShellLink?>(nil)

  /// The name of the session; nil for the only one.
  var name: String? { session ?? Self.shell.withLock { $0?.name } }

  /// The connection of the shell, if the command is for its session.
  private var link: ShellLink? { session == nil ? Self.shell.withLock { $0 } : nil }

  /// Sends a request to the session, and waits for the answer.
  func send(_ command: Command) throws -> Reply {
    if let link { return try link.send(command) }
    return try ControlClient(run: name).send(command)
  }

  /// Sends a command that waits for a person; `accepted` is called once the session waits.
  func send(_ command: Command, accepted: () -> Void) throws -> Reply {
    if let link { return try link.send(command, accepted: accepted) }
    return try ControlClient(run: name).send(command, accepted: accepted)
  }

  /// Sends a command, and prints the messages of the reply.
  func sendAndPrint(_ command: Command) throws { printNotes(try send(command)) }

  /// Prints the messages of a reply.
  func printNotes(_ reply: Reply) {
    for note in reply.notes { Terminal.error.writeLine("outboard: \(note)") }
  }
}
