// HostCommand.swift: the steps of a command. SPDX-License-Identifier: MIT

import HostModel

/// A command that is carried out at once. [main]
protocol HostCommand {
  /// What `prepare` has found.
  associatedtype Prepared = Void

  /// Checks the command; changes nothing.
  func prepare(in host: Host) throws -> Prepared
  /// Makes the change, all of it or none, and returns the reply.
  func apply(_ prepared: Prepared, in host: Host) throws -> Reply
}

extension HostCommand where Prepared == Void {
  func prepare(in host: Host) throws {}
}

extension Command {
  /// Whether the state may be another one afterwards.
  var changesState: Bool {
    switch self {
    case .set, .load, .undo, .redo, .scene: true
    case .status, .save, .record, .play, .meters, .top, .blackBox, .subscribe, .unsubscribe: false
    }
  }

  /// Whether it makes sense while no block is rendered.
  var worksWithoutSound: Bool {
    switch self {
    case .status, .subscribe, .unsubscribe: true
    default: false
    }
  }
}
