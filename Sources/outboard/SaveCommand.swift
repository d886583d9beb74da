// SaveCommand.swift: `outboard save`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc

/// Saves the current state of a session as a rig file.
struct SaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Save a running session as a rig file.",
    discussion: """
      outboard save mine.yaml

      The session keeps running. Restore it with `outboard run --rig mine.yaml`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Rig file to write.", valueName: "file"))
  var file: String
  @Flag(help: "Overwrite existing files.")
  var force = false

  func validate() throws {
    guard !file.isEmpty else { throw ValidationError("The name of the file is empty.") }
  }

  func run() throws {
    var request = ControlRequest(.save)
    // The session can have another working directory.
    request.file = URL(fileURLWithPath: file).standardizedFileURL.path
    request.replaces = force
    try choice.askAndTell(request)
    Terminal.output.writeLine("\(file): saved. Restore it with `outboard run --rig \(file)`.")
  }
}
