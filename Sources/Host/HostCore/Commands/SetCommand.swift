// SetCommand.swift: the command `set` on the main thread. SPDX-License-Identifier: MIT

import HostModel
import Manifests
import RigSchema
import Session

/// Sets parameters and properties of a node, or the gain of a connection.
///
/// Commands that set only plain parameters do not arrive here: `ParameterMailbox` sets these at
/// once.
struct SetCommand: HostCommand {
  let values: Command.SetValues

  func prepare(in host: Host) throws {
    if Self.presetTarget(values, in: host.session) != nil, values.values.count > 1 {
      throw CommandError.presetAmongValues(values.node)
    }
  }

  func apply(_: Void, in host: Host) throws -> Reply {
    Reply(
      notes: try host.session.set(
        values.node, to: values.values.map { (symbol: $0.symbol, text: $0.value) },
        directory: values.directory ?? "/"))
  }

  /// Returns the change of the rig that loads a preset; nil if other values are set.
  static func preset(_ set: Command.SetValues, in session: LiveSession) -> RigEdit? {
    guard set.values.count == 1, let name = presetTarget(set, in: session) else { return nil }
    return .preset(set.values[0].value, of: name)
  }

  /// Returns the node whose preset is set; nil if there is none, or if the node has a parameter with that name.
  private static func presetTarget(
    _ set: Command.SetValues, in session: LiveSession
  ) -> String? {
    guard set.values.contains(where: { $0.symbol.lowercased() == "preset" }) else { return nil }
    return session.parameterTargets.first {
      $0.name.lowercased() == set.node.lowercased()
        && $0.parameters.index(ofSymbol: "preset") == nil
    }?.name
  }
}
