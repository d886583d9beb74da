// PlayCommand.swift: `outboard play`. SPDX-License-Identifier: MIT

import ArgumentParser
import FilePlayback
import HostModel
import Manifests

/// Controls the file players of a session.
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Control the file players of a running session.",
    discussion: """
      outboard play band start
      outboard play band seek 1:23
      outboard play next                # all players
      outboard play                     # show their positions

      stop returns to the start of the file, pause keeps the position. A player is a node with \
      `builtin: player`. Change its level with `outboard set band gain="-6 dB"`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "start, stop, pause, next, previous or seek TIME.",
      valueName: "player> <command"))
  var words: [String] = []

  private var parsed: NodeCommandArguments {
    get throws {
      try NodeCommandArguments(words, orders: PlayerCommand.keywords, takingText: ["seek"])
    }
  }

  func validate() throws {
    let words = try parsed
    if words.order == "seek", let text = words.text, DurationText.seconds(text) == nil {
      throw ValidationError("\(text) is not a time. Use e.g. 90 s or 1:30.")
    }
  }

  func run() throws {
    let words = try parsed
    let action = words.order.flatMap { Command.Play.Action($0, text: words.text) }
    try choice.sendAndPrint(.play(.init(node: words.node, action: action)))
  }
}
