// SaveCommand.swift: `outboard save`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel

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
    // The session may have another working directory.
    let path = URL(fileURLWithPath: file).standardizedFileURL.path
    try choice.sendAndPrint(.save(.init(file: path, force: force)))
    Terminal.output.writeLine("\(file): saved. Restore it with `outboard run --rig \(file)`.")
  }
}
