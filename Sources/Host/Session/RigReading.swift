// RigReading.swift: a rig read on a thread of its own. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import RealtimeKit
package import Rig
import Synchronization

/// Reads a rig, and the rigs in it, while others are served.
///
/// A file on a network file system whose server is away holds up this thread, and no other.
package final class RigReading: Sendable {
  private struct State {
    var outcome: Result<RigDescription, any Error>?
    var isCalledOff = false
  }

  private let state = Mutex(State())

  /// Begins. [main]
  ///
  /// - Parameters:
  ///   - read: reads the rig; it may take any time.
  ///   - onEnd: called on another thread when there is something to take; not once it was called off.
  package init(
    _ read: @escaping @Sendable () throws -> RigDescription, onEnd: @escaping @Sendable () -> Void
  ) {
    _ = DetachedThread.start { [self] in
      let outcome = Result { try read() }
      let isWanted = state.withLock { state in
        state.outcome = outcome
        return !state.isCalledOff
      }
      if isWanted { onEnd() }
    }
  }

  /// The rig, or why it cannot be read; nil while it is being read. [any]
  package func take() -> Result<RigDescription, any Error>? { state.withLock { $0.outcome } }

  /// Drops the result; the thread ends when the file system answers. [any]
  package func callOff() { state.withLock { $0.isCalledOff = true } }
}
