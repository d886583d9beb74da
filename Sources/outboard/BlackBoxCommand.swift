// BlackBoxCommand.swift: `outboard black-box`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel

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
  var directory: String

  func validate() throws {
    guard !directory.isEmpty else { throw ValidationError("The name of the directory is empty.") }
  }

  func run() throws {
    // The session may have another working directory.
    let path = URL(fileURLWithPath: directory).standardizedFileURL.path
    try choice.sendAndPrint(.blackBox(.init(directory: path)))
    Terminal.output.writeLine("\(directory): saved.")
  }
}
