// ChildProcessCanceller.swift: ends helper processes early. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// Ends the helper processes of cancelled work.
///
/// A hung one would otherwise block its thread until the
/// timeout.
package final class ChildProcessCanceller: Sendable {
  private struct State {
    var processes: Set<Int32> = []
    var hasEnded = false
  }
  private let state = Mutex(State())

  /// Creates a canceller.
  package init() {}

  /// Whether the work was cancelled.
  ///
  /// Ignore results from then on. [any]
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Kills all current and future helper processes. [any]
  package func cancelAll() {
    state.withLock { state in
      state.hasEnded = true
      for process in state.processes { kill(process, SIGKILL) }
    }
  }

  /// Registers a new process; a negative number is a process group. [any]
  package func register(_ process: Int32) {
    state.withLock { state in
      state.processes.insert(process)
      if state.hasEnded { kill(process, SIGKILL) }
    }
  }

  /// Unregisters a process before it is reaped, after which its ID may be reused. [any]
  package func unregister(_ process: Int32) {
    _ = state.withLock { $0.processes.remove(process) }
  }
}
