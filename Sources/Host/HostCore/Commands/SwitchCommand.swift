// SwitchCommand.swift: the commands that switch to another rig. SPDX-License-Identifier: MIT

import HostModel
import RigSchema

/// Switches to another rig, which is prepared on another thread.
enum SwitchCommand {
  /// To a rig file or an installed rig.
  case load(String)
  /// To the present rig with a change.
  case edit(RigEdit)
  /// To the rig before the last change.
  case undo
  /// To the rig that was undone last.
  case redo

  /// Starts the change; replies when the rig is active or cannot be used. [main]
  func begin(in host: Host, _ pending: PendingCommand) {
    let finish: RigSwitcher.CompletionHandler = { [unowned host] outcome in
      host.finish(pending) { Reply(notes: try outcome.get()) }
    }
    switch self {
    case .load(let file): host.switcher.load(file, completion: finish)
    case .edit(let edit): host.switcher.edit(edit, completion: finish)
    case .undo: host.switcher.undo(completion: finish)
    case .redo: host.switcher.redo(completion: finish)
    }
  }
}

extension RigEdit {
  /// The change that a command makes; nil for any other command.
  init?(_ command: Command) {
    switch command {
    case .insert(let insert):
      self = .insert(
        NewPlugin(insert.plugin), name: insert.name, at: insert.position.map(InsertionPoint.init))
    case .remove(let remove): self = .remove(remove.node)
    case .move(let move): self = .move(move.node, to: InsertionPoint(move.position))
    case .replace(let replace): self = .replace(replace.node, with: NewPlugin(replace.plugin))
    default: return nil
    }
  }
}

extension InsertionPoint {
  fileprivate init(_ position: Command.Position) {
    switch position {
    case .after(let name): self = .after(name)
    case .before(let name): self = .before(name)
    case .on(let connection): self = .on(connection)
    }
  }
}

extension NewPlugin {
  fileprivate init(_ choice: Command.PluginChoice) {
    self.init(
      ChainLink(
        plugin: choice.plugin,
        assignments: choice.values.map { (symbol: $0.symbol, value: $0.value) }),
      directory: choice.directory ?? "/")
  }
}
