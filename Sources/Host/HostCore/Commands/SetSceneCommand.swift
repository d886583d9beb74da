// SetSceneCommand.swift: the command `set` for several nodes, or over time. SPDX-License-Identifier: MIT

import HostModel
import RealtimeKit
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
    Reply(notes: try host.session.move(namedValues, over: values.over ?? 0))
  }

  /// The values with the names of their nodes.
  private var namedValues: [(symbol: String, text: String)] {
    let prefix = values.node.isEmpty ? "" : "\(values.node)."
    return values.values.map { (symbol: prefix + $0.symbol, text: $0.value) }
  }

  /// Reads presets on another thread, then submits the command again with their values; false if there are none.
  func readPresets(in host: Host, _ pending: PendingCommand) -> Bool {
    let named = namedValues
    guard let presets = host.session.presetValues(of: named) else { return false }
    _ = DetachedThread.start { [port = host.port, over = values.over] in
      do {
        let values = try presets.replaced(in: named).map { Command.Assignment($0.symbol, $0.text) }
        port.submitDirectly(
          .set(.init(node: "", values: values, over: over)), from: pending.client,
          completion: pending.complete)
      } catch {
        pending.complete(Reply(error))
      }
    }
    return true
  }
}
