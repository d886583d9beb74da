// ChildProcessCanceller.swift: children that nobody waits for any longer, ended early. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// Ends the children of a piece of work that is given up: one that hangs would hold its thread for as long
/// as it is allowed.
package final class ChildProcessCanceller: Sendable {
  private struct State {
    var processes: Set<Int32> = []
    var hasEnded = false
  }
  private let state = Mutex(State())

  /// Nothing is given up yet.
  package init() {}

  /// Whether the work was given up: what is found out from here on is not to be believed. [any]
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Kills all children, and each that is still to come. [any]
  package func end() {
    state.withLock { state in
      state.hasEnded = true
      for process in state.processes { kill(process, SIGKILL) }
    }
  }

  /// A child was started; a negative number is that of a group of processes. [any]
  package func enter(_ process: Int32) {
    state.withLock { state in
      state.processes.insert(process)
      if state.hasEnded { kill(process, SIGKILL) }
    }
  }

  /// A child is about to be waited for, after which its number may be another one's. [any]
  package func leave(_ process: Int32) {
    _ = state.withLock { $0.processes.remove(process) }
  }
}
