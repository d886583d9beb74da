// BlackBoxCommand.swift: `outboard black-box`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc

/// Writes the last seconds of something that runs to a folder.
struct BlackBoxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "black-box",
    abstract: "Write the last ten seconds of something that runs to a folder.",
    discussion: """
      outboard black-box crackle

      The folder has the sound that came in and went out, how long each block took and on account of which \
      node, the MIDI that was played, and the rig as it is set. The sound goes on meanwhile.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("The folder to make.", valueName: "folder"))
  var folder: String

  func validate() throws {
    guard !folder.isEmpty else { throw ValidationError("The name of the folder is empty.") }
  }

  func run() throws {
    var request = ControlRequest(.blackBox)
    // The run may stand in another folder.
    request.file = URL(fileURLWithPath: folder).standardizedFileURL.path
    try choice.askAndTell(request)
    Terminal.output.writeLine("\(folder): written.")
  }
}
