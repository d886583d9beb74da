// BlackBoxCommand.swift: the command `black-box`. SPDX-License-Identifier: MIT

import HostModel
import Session

/// Writes the last ten seconds to a directory.
struct BlackBoxCommand: HostCommand {
  let box: Command.BlackBox

  func prepare(in host: Host) throws {
    guard box.directory.hasPrefix("/") else {
      throw CommandError.relativePath(
        .blackBox, key: "file", what: "the absolute path of a directory")
    }
  }

  func apply(_: Void, in host: Host) throws -> Reply {
    try host.session.writeBlackBox(to: box.directory)
    return Reply()
  }
}
