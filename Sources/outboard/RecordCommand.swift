// RecordCommand.swift: `outboard record`. SPDX-License-Identifier: MIT

import ArgumentParser
import FileRecording
import HostModel

/// Controls the recorders of a session.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Control the recorders of a running session.",
    discussion: """
      outboard record start             # all recorders, at the same frame
      outboard record tape pause
      outboard record mark "chorus"
      outboard record                   # show their states

      resume continues after pause; split continues in a new file without a gap. A recorder is a \
      node with `builtin: recorder`, or comes from `outboard run --record`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "start, stop, pause, resume, split or mark TEXT.",
      valueName: "recorder> <command"))
  var words: [String] = []

  private var parsed: NodeCommandArguments {
    get throws {
      try NodeCommandArguments(words, orders: RecorderCommand.keywords, takingText: ["mark"])
    }
  }

  func validate() throws { _ = try parsed }

  func run() throws {
    let words = try parsed
    let action = words.order.flatMap { Command.Record.Action($0, text: words.text) }
    try choice.sendAndPrint(.record(.init(node: words.node, action: action)))
  }
}
