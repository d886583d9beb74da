// RecordCommand.swift: `outboard record`. SPDX-License-Identifier: MIT

import ArgumentParser
import Control
import FileRecording

/// Tells recorders of something that runs to begin, to end, and what comes between.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Start, stop, pause, split and mark the recordings of something that runs.",
    discussion: """
      outboard record start             # all recorders, at the same frame
      outboard record tape pause
      outboard record mark "chorus"
      outboard record                   # how they stand

      resume goes on after pause, split in another file without a gap. Recorders are builtin: \
      recorder in a rig, and `outboard run --record`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp(
      "The recorder's name in the rig, where not all are meant; then start, stop, pause, resume,"
        + " split or mark TEXT.",
      valueName: "words"))
  var words: [String] = []

  private var parsed: NodeCommandArguments {
    get throws {
      try NodeCommandArguments(words, orders: RecorderCommand.words, takingText: ["mark"])
    }
  }

  func validate() throws { _ = try parsed }

  func run() throws {
    let words = try parsed
    var request = ControlRequest(.record)
    (request.node, request.order, request.text) = (words.node, words.order, words.text)
    try choice.askAndTell(request)
  }
}
