// RigReading.swift: reading of a rig on a separate thread. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import RealtimeKit
package import RigSchema
import Synchronization

/// Reads a rig and its nested rigs while other requests are served.
///
/// A file on a network file system whose server is down blocks only this thread.
package final class RigReading: Sendable {
  private struct State {
    var outcome: Result<RigDescription, any Error>?
    var isCalledOff = false
  }

  private let state = Mutex(State())

  /// Starts to read. [main]
  ///
  /// - Parameters:
  ///   - read: reads the rig; it can take any time.
  ///   - onEnd: called on another thread when a result is available; not after a cancellation.
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

  /// Returns the rig or the error; nil while it is being read. [any]
  package func take() -> Result<RigDescription, any Error>? { state.withLock { $0.outcome } }

  /// Drops the result; the thread ends when the file system responds. [any]
  package func cancel() { state.withLock { $0.isCalledOff = true } }
}
