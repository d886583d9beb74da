// BlockingCall.swift: a call on behalf of the main thread that may never come back. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit
import Synchronization

/// Work on a thread of its own, which is waited for as long as it seems worth it.
///
/// What opens or closes a sound server's device waits for the server, be it one that stands still; the
/// program must not. Unlike a task, a thread that is stuck takes nobody's place.
final class BlockingCall<Result: Sendable>: Sendable {
  private let work: @Sendable () -> Result
  private let result = Mutex<Result?>(nil)

  /// Sets out; without threads the work is done here and now. [main]
  init(_ work: @escaping @Sendable () -> Result) {
    self.work = work
    if DetachedThread.start({ self.finish() }) != nil { finish() }
  }

  private func finish() {
    let value = work()
    result.withLock { $0 = value }
  }

  /// What came of it, waited for up to so long; nil where it is not done yet. [main]
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
