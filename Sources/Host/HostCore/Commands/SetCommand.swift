// SetCommand.swift: the command `set`, where it is for the main thread. SPDX-License-Identifier: MIT

import HostModel
import Session

/// Sets parameters and properties of a node, or the gain of a connection.
///
/// Values of plain parameters alone do not come here: `ParameterMailbox` sets them at once.
struct SetCommand: HostCommand {
  let values: Command.SetValues

  func apply(_: Void, in host: Host) throws -> Reply {
    Reply(
      notes: try host.session.set(
        values.node, to: values.values.map { (symbol: $0.symbol, text: $0.value) },
        folder: values.directory ?? "/"))
  }
}
