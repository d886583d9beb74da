// StreamWait.swift: the pipe for whose data a reader waits. SPDX-License-Identifier: MIT

import Synchronization

/// Records that a reader waits for another program, so that users can be informed.
package enum StreamWait {
  private struct Wait {
    let path: String
    let start: ContinuousClock.Instant
  }
  private static let wait = Mutex<Wait?>(nil)

  /// The pipe that a reader waits for, and for how long, in seconds; nil if none waits. [any]
  package static var current: (path: String, seconds: Double)? {
    wait.withLock { $0 }.map { ($0.path, (ContinuousClock.now - $0.start) / .seconds(1)) }
  }

  /// Reads from a pipe.
  static func during<Result: ~Copyable, Failure: Error>(
    _ path: String, _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    wait.withLock { $0 = Wait(path: path, start: .now) }
    defer { wait.withLock { $0 = nil } }
    return try read()
  }
}
