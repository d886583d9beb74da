// ShellCommand.swift: `outboard shell`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import Synchronization
import TerminalUI

/// Reads commands for a session, one on each line.
struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Read commands for a session, line by line.",
    discussion: """
      outboard shell
      echo "set reverb mix=30" | outboard shell --stop-on-error

      The commands are those of outboard, without the word outboard, and a few short ones: see help. On a \
      terminal, Tab completes, arrows edit and recall lines, Ctrl-D ends. With --plain nothing is drawn, \
      for screen readers.
      """)

  @OptionGroup var choice: SessionOption
  @Flag(help: "Print whole lines only, for screen readers.")
  var plain = false
  @Flag(help: "End at the first command that fails.")
  var stopOnError = false

  func run() throws {
    let name = try choice.reachableName()
    let link = ShellLink(name)
    SessionOption.shell.withLock { $0 = link }
    let isTerminal = isatty(STDIN_FILENO) == 1
    let term = ProcessInfo.processInfo.environment["TERM"] ?? ""
    let isDrawn =
      isTerminal && !plain && Terminal.output.isInteractive
      && !["", "dumb", "unknown"].contains(term)
    let editor = isDrawn ? LineEditor(prompt: "\(name)> ") : nil
    let interpreter = ShellInterpreter(link, editor: editor)
    editor?.handleSignals()
    defer { editor?.end() }
    if isTerminal { Terminal.output.writeLine("Session \(name). Type help for the commands.") }
    var firstFailure: Int32 = 0
    while let line = nextLine(interpreter, editor, hasPrompt: isTerminal, name) {
      guard let status = interpreter.run(line) else { break }
      if firstFailure == 0 { firstFailure = status }
      if status != 0, stopOnError { break }
    }
    // A terminal shows each failure at once; scripts need the status.
    if firstFailure != 0, !isTerminal || stopOnError { throw ExitCode(firstFailure) }
  }

  /// The next line; nil at the end of the input.
  private func nextLine(
    _ interpreter: ShellInterpreter, _ editor: LineEditor?, hasPrompt: Bool, _ name: String
  ) -> String? {
    guard let editor else {
      if hasPrompt { Terminal.output.write("\(name)> ") }
      return readLine()
    }
    while true {
      switch editor.readLine(complete: interpreter.complete) {
      case .text(let text): return text
      case .cancelled: continue
      case .ended: return nil
      }
    }
  }
}
