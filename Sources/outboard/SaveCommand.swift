// SaveCommand.swift: `outboard save`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc

/// Writes something that runs to a rig, as it is now.
struct SaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Write something that runs to a rig, as it is now.",
    discussion: """
      outboard save mine.yaml

      The sound goes on meanwhile. `outboard run --rig mine.yaml` brings it back.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("The rig to write.", valueName: "file"))
  var file: String
  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  func validate() throws {
    guard !file.isEmpty else { throw ValidationError("The name of the file is empty.") }
  }

  func run() throws {
    var request = ControlRequest(.save)
    // The run may stand in another folder.
    request.file = URL(fileURLWithPath: file).standardizedFileURL.path
    request.replaces = force
    try choice.askAndTell(request)
    Terminal.output.writeLine("\(file): saved; `outboard run --rig \(file)` brings it back.")
  }
}
