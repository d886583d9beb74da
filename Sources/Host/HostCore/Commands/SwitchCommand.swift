// SwitchCommand.swift: the commands `load`, `undo` and `redo`. SPDX-License-Identifier: MIT

import HostModel

/// Switches to another rig, which is prepared on another thread.
enum SwitchCommand {
  /// To a rig file or an installed rig.
  case load(String)
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
    case .undo: host.switcher.undo(completion: finish)
    case .redo: host.switcher.redo(completion: finish)
    }
  }
}
