// StreamWait.swift: the pipe for whose data a reader waits. SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Records that a reader waits for another program, so that users can be informed.
package enum StreamWait {
  private struct Wait {
    let path: String
    let startedNanoseconds: UInt64
  }
  private static let wait = Mutex<Wait?>(nil)

  /// The pipe that a reader waits for, and for how long, in seconds; nil if none waits. [any]
  package static var current: (path: String, seconds: Double)? {
    wait.withLock { $0 }.map { ($0.path, Double(now &- $0.startedNanoseconds) / 1e9) }
  }

  /// Reads from a pipe.
  static func during<Result: ~Copyable, Failure: Error>(
    _ path: String, _ read: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    wait.withLock { $0 = Wait(path: path, startedNanoseconds: now) }
    defer { wait.withLock { $0 = nil } }
    return try read()
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
