// Watchdog.swift: watchdog pings while frames are rendered. SPDX-License-Identifier: MIT

import Glibc

/// Requests pings only while frames are rendered.
///
/// The main thread can still run while the audio thread hangs in a plugin. Without pings, the service manager
/// restarts the service.
package struct Watchdog: Equatable {
  /// Half of the interval that the manager requests, in nanoseconds.
  package let intervalNanoseconds: UInt64
  private var lastPing: UInt64?
  private var lastFrameCount: UInt64 = 0

  /// Creates the watchdog from `WATCHDOG_USEC` and `WATCHDOG_PID`; nil if they are not set or name another process.
  package init?(
    environment: (String) -> String? = { unsafe getenv($0).map { unsafe String(cString: $0) } },
    process: Int32 = getpid()
  ) {
    guard let microseconds = environment("WATCHDOG_USEC").flatMap(UInt64.init), microseconds > 0,
      microseconds <= .max / 1_000
    else { return nil }
    if let processID = environment("WATCHDOG_PID"), Int32(processID) != process { return nil }
    intervalNanoseconds = microseconds * 1_000 / 2
  }

  /// Returns whether to send a ping now. [main]
  ///
  /// `frameCount` is the number of rendered frames, `nanoseconds` a monotonic time.
  package mutating func isDue(frameCount: UInt64, nanoseconds: UInt64) -> Bool {
    if let lastPing, nanoseconds < lastPing + intervalNanoseconds { return false }
    guard frameCount != lastFrameCount else { return false }
    lastFrameCount = frameCount
    lastPing = nanoseconds
    return true
  }
}
