// SaveCommand.swift: `outboard save`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel
import TerminalUI

/// Saves the current state of a session as a rig file.
struct SaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Save a running session as a rig file.",
    discussion: """
      outboard save              in the rig file of the session, with its comments
      outboard save mine.yaml

      The session keeps running. Restore it with `outboard run --rig mine.yaml`.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(
    help: ArgumentHelp("Rig file to write; by default the session's own.", valueName: "file"))
  var file: String?
  @Flag(help: "Overwrite existing or changed files.")
  var force = false

  func validate() throws {
    guard file?.isEmpty != true else { throw ValidationError("The name of the file is empty.") }
  }

  func run() throws {
    guard let file else {
      try choice.sendAndPrint(.save(.init(force: force)))
      return Terminal.output.writeLine("The rig file of the session is saved.")
    }
    // The session may have another working directory.
    let path = URL(fileURLWithPath: file).standardizedFileURL.path
    try choice.sendAndPrint(.save(.init(file: path, force: force)))
    Terminal.output.writeLine(
      "\(file): saved. Restore it with `outboard run --rig \(ShellWords.quoted(file))`.")
  }
}
