// SetCommand.swift: the command `set` on the main thread. SPDX-License-Identifier: MIT

import HostModel
import Session

/// Sets parameters and properties of a node, or the gain of a connection.
///
/// Commands that set only plain parameters do not arrive here: `ParameterMailbox` sets these at
/// once.
struct SetCommand: HostCommand {
  let values: Command.SetValues

  func apply(_: Void, in host: Host) throws -> Reply {
    Reply(
      notes: try host.session.set(
        values.node, to: values.values.map { (symbol: $0.symbol, text: $0.value) },
        directory: values.directory ?? "/"))
  }
}
