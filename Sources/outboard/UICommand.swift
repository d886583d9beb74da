// UICommand.swift: `outboard ui`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc
import HostModel
import TerminalUI

/// Shows a session in the terminal.
struct UICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ui",
    abstract: "Control a session in the terminal.",
    discussion: """
      Shows the chain, the controls of its nodes, meters, scenes and recorders, for keys and mouse. \
      Press ? for the keys, q to quit. The session continues. NO_COLOR switches colours off. \
      Screen readers: use `outboard shell`.
      """)

  @OptionGroup var choice: SessionOption
  @Flag(help: "Draw with ASCII characters.")
  var ascii = false
  @Flag(help: "Leave the mouse to the terminal.")
  var noMouse = false

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    try TerminalRequirements.check(environment)
    let name = try choice.reachableName()
    TerminalApplication(
      sessionName: name, environment: environment,
      isASCII: ascii || environment["TERM"] == "linux"
        || environment["TERM"]?.hasPrefix("vt") == true,
      hasMouse: !noMouse
    ).run()
  }
}

extension SessionOption {
  /// The name of the session, which answers and has this version of the protocol.
  func reachableName() throws -> String {
    let client = try ControlClient(run: session)
    guard case .status(let status)? = try client.send(.status).result,
      status.protocol == Protocol.version
    else { throw ControlError.protocolError(name: client.name) }
    return client.name
  }
}
