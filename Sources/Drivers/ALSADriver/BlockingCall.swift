// BlockingCall.swift: a call for the main thread that may hang. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit
import Synchronization

/// A blocking call on its own thread, with a timeout.
///
/// Opening or closing a sound server's device waits for the server, even if the server is stalled.
/// The program must not wait. Unlike a task, a blocked thread does not occupy a thread of the pool.
final class BlockingCall<Result: Sendable>: Sendable {
  private let work: @Sendable () -> Result
  private let result = Mutex<Result?>(nil)

  /// Starts the call.
  ///
  /// If no thread can be created, the work is done at once. [main]
  init(_ work: @escaping @Sendable () -> Result) {
    self.work = work
    if DetachedThread.start({ self.finish() }) != nil { finish() }
  }

  private func finish() {
    let value = work()
    result.withLock { $0 = value }
  }

  /// Returns the result, or nil if the call is still running after `seconds` (0 or more). [main]
  func wait(seconds: Double) -> Result? {
    let end = crealtime_nanoseconds() + UInt64(1e9 * seconds)
    while true {
      if let value = result.withLock({ $0 }) { return value }
      let now = crealtime_nanoseconds()
      if now >= end { return nil }
      crealtime_sleep_until(min(end, now + 1_000_000))
    }
  }
}
