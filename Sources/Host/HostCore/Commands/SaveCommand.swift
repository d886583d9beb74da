// SaveCommand.swift: the command `save`. SPDX-License-Identifier: MIT

import HostModel
import Session

/// Writes the rig as it is now to a file.
struct SaveCommand: HostCommand {
  let save: Command.Save

  func prepare(in host: Host) throws {
    guard save.file?.hasPrefix("/") != false else {
      throw CommandError.relativePath(.save, key: "file", what: "an absolute path")
    }
  }

  func apply(_: Void, in host: Host) throws -> Reply {
    try host.switcher.saving {
      if let file = save.file {
        try host.session.save(to: file, replaces: save.force)
      } else {
        try host.session.saveInPlace(replaces: save.force)
      }
    }
    return Reply()
  }
}
