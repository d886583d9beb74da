// SetSceneCommand.swift: the command `set` for several nodes, or over time. SPDX-License-Identifier: MIT

import HostModel
import RigSchema
import Session

/// Sets values of several nodes, or moves values within some seconds, as the recall of a scene does.
struct SetSceneCommand: HostCommand {
  let values: Command.SetValues

  func prepare(in host: Host) throws {
    if let over = values.over, !(0 ... MorphTime.longestSeconds ~= over) {
      throw CommandError.morphTime(over)
    }
  }

  func apply(_: Void, in host: Host) throws -> Reply {
    let prefix = values.node.isEmpty ? "" : "\(values.node)."
    return Reply(
      notes: try host.session.move(
        values.values.map { (symbol: prefix + $0.symbol, text: $0.value) },
        over: values.over ?? 0))
  }
}
