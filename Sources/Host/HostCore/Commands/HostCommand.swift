// HostCommand.swift: the steps of a command. SPDX-License-Identifier: MIT

import HostModel

/// A command that completes at once. [main]
protocol HostCommand {
  /// The result of `prepare`.
  associatedtype Prepared = Void

  /// Checks the command without changing anything.
  func prepare(in host: Host) throws -> Prepared
  /// Makes the whole change or none, and returns the reply.
  func apply(_ prepared: Prepared, in host: Host) throws -> Reply
}

extension HostCommand where Prepared == Void {
  func prepare(in host: Host) throws {}
}

extension Command {
  /// Whether the command can change the published state.
  var changesState: Bool {
    switch self {
    case .set, .load, .insert, .remove, .move, .replace, .undo, .redo, .scene, .learn, .map,
      .transport:
      true
    case .status, .save, .record, .play, .meters, .top, .blackBox, .subscribe, .unsubscribe: false
    case .acknowledge, .plugins, .plugin, .rigs, .files: false
    }
  }

  /// Whether the command is useful while no block is rendered.
  var worksWithoutAudio: Bool {
    switch self {
    case .status, .subscribe, .unsubscribe: true
    default: false
    }
  }
}
