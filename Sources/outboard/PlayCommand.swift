// PlayCommand.swift: `outboard play`. SPDX-License-Identifier: MIT

import ArgumentParser
import Control
import FilePlayback
import Rig

/// Tells players of something that runs to begin, to go elsewhere and to end.
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Start, stop, pause and wind the files that something plays while it runs.",
    discussion: """
      outboard play band start
      outboard play band seek 1:23
      outboard play next                # all players
      outboard play                     # where they stand

      stop goes back to the beginning, pause does not. Players are builtin: player in a rig; \
      outboard set band gain="-6 dB" makes one quieter.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "The player's name in the rig, where not all are meant; then start, stop, pause, next,"
        + " previous or seek TIME.",
      valueName: "words"))
  var words: [String] = []

  private var parsed: NodeCommandArguments {
    get throws {
      try NodeCommandArguments(words, orders: PlayerCommand.words, takingText: ["seek"])
    }
  }

  func validate() throws {
    let words = try parsed
    if words.order == "seek", let text = words.text, DurationText.seconds(text) == nil {
      throw ValidationError("\(text) is no time to seek; write 90 s, or 1:30.")
    }
  }

  func run() throws {
    let words = try parsed
    var request = ControlRequest(.play)
    (request.node, request.order, request.text) = (words.node, words.order, words.text)
    try choice.askAndTell(request)
  }
}
