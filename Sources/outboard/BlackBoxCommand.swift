// BlackBoxCommand.swift: `outboard black-box`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc

/// Saves the last seconds of a session to a directory.
struct BlackBoxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "black-box",
    abstract: "Save the last ten seconds for debugging.",
    discussion: """
      outboard black-box crackle

      The directory contains the input and output audio, the time that each block took with its \
      slowest node, the MIDI events, and the rig with its current values. The session keeps running.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Directory to create.", valueName: "dir"))
  var folder: String

  func validate() throws {
    guard !folder.isEmpty else { throw ValidationError("The name of the directory is empty.") }
  }

  func run() throws {
    var request = ControlRequest(.blackBox)
    // The session may have another working directory.
    request.file = URL(fileURLWithPath: folder).standardizedFileURL.path
    try choice.askAndTell(request)
    Terminal.output.writeLine("\(folder): saved.")
  }
}
