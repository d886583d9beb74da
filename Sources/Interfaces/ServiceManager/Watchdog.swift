// Watchdog.swift: when to tell the service manager that the sound is alive. SPDX-License-Identifier: MIT

import Glibc

/// Pings as long as frames are rendered, and no longer.
///
/// The main thread may well run while the audio thread hangs in a plugin. Such a service is dead,
/// and the manager that hears no more of it starts it anew.
package struct Watchdog: Equatable {
  /// Twice as often as the manager asks for, in nanoseconds.
  package let intervalNanoseconds: UInt64
  private var lastPing: UInt64?
  private var lastFrameCount: UInt64 = 0

  /// The watchdog that the environment asks for, in `WATCHDOG_USEC` and `WATCHDOG_PID`; nil where it
  /// asks for none, or not this process.
  package init?(
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } },
    process: Int32 = getpid()
  ) {
    guard let microseconds = environment("WATCHDOG_USEC").flatMap(UInt64.init), microseconds > 0,
      microseconds <= .max / 1_000
    else { return nil }
    if let meant = environment("WATCHDOG_PID"), Int32(meant) != process { return nil }
    intervalNanoseconds = microseconds * 1_000 / 2
  }

  /// Whether to ping now.
  ///
  /// `frameCount` says how many frames have been rendered so far, `nanoseconds` the time on a clock
  /// that never goes back. [main]
  package mutating func isDue(frameCount: UInt64, nanoseconds: UInt64) -> Bool {
    if let lastPing, nanoseconds < lastPing + intervalNanoseconds { return false }
    guard frameCount != lastFrameCount else { return false }
    lastFrameCount = frameCount
    lastPing = nanoseconds
    return true
  }
}
