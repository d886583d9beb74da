// LoadCommand.swift: `outboard load`, `undo` and `redo`. SPDX-License-Identifier: MIT

import ArgumentParser
import Console
import Control
import FoundationEssentials
import Glibc

/// Leads something that runs over to another rig.
struct LoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Lead something that runs over to another rig, while it sounds.",
    discussion: """
      outboard load evening.yaml

      Nodes of the same name that are the same plugin go on with their state; what is new is faded \
      in, what is gone rings out. Devices stay as they are. `outboard undo` takes it back, or calls \
      it off while its plugins are still tried. It returns when the rig is heard.
      """)

  @OptionGroup var choice: SessionOption
  @Argument(help: ArgumentHelp("A rig's file, or the name of an installed one.", valueName: "rig"))
  var rig: String

  func validate() throws {
    guard !rig.isEmpty else { throw ValidationError("The name of the rig is empty.") }
  }

  func run() throws {
    var request = ControlRequest(.load)
    // The run may stand in another folder.
    request.file =
      FileManager.default.fileExists(atPath: rig)
      ? URL(fileURLWithPath: rig).standardizedFileURL.path : rig
    try choice.askAndTell(request)
  }
}

/// Takes the last change of the rig back.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last change of the rig of something that runs.",
    discussion:
      "A change is a rig that was loaded, or saved while `outboard run --watch` follows it.")

  @OptionGroup var choice: SessionOption

  func run() throws { try choice.askAndTell(ControlRequest(.undo)) }
}

/// Brings back what was taken back.
struct RedoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo", abstract: "Bring back what `outboard undo` took back.")

  @OptionGroup var choice: SessionOption

  func run() throws { try choice.askAndTell(ControlRequest(.redo)) }
}
