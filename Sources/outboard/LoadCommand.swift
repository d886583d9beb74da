// LoadCommand.swift: `outboard load`, `undo` and `redo`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import FoundationEssentials
import Glibc
import HostModel

/// Switches a session to another rig.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Switch a running session to another rig.",
    discussion: """
      outboard load evening.yaml

      A node with the same name and plugin keeps its state. New nodes fade in; removed nodes fade out \
      with their tail. The devices stay open. `outboard undo` reverts the change, or cancels it while \
      its plugins are still tested. The command returns when the new rig is active.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("Rig file or name of an installed rig.", valueName: "rig"))
  var rig: String

  func validate() throws {
    guard !rig.isEmpty else { throw ValidationError("The name of the rig is empty.") }
  }

  func run() throws {
    // The session may have another working directory.
    let file =
      FileManager.default.fileExists(atPath: rig)
      ? URL(fileURLWithPath: rig).standardizedFileURL.path : rig
    try choice.sendAndPrint(.load(.init(file: file)))
  }
}

/// Undoes the last change of a session's rig.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last change.",
    discussion:
      "A change is a set of values, a recalled scene, an edit of nodes, a loaded rig, or a saved rig file that "
      + "`outboard run --watch` reloads.")

  @OptionGroup var choice: SessionOption

  func run() throws { try choice.sendAndPrint(.undo) }
}

/// Redoes the last undone change.
struct RedoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo", abstract: "Redo the last undone change.")

  @OptionGroup var choice: SessionOption

  func run() throws { try choice.sendAndPrint(.redo) }
}
