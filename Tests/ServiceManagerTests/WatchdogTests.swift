// WatchdogTests.swift: watchdog messages to the service manager. SPDX-License-Identifier: MIT

import ServiceManager
import Testing

@Suite struct `A watchdog` {
  private func watchdog(_ environment: [String: String]) -> Watchdog? {
    Watchdog(environment: { environment[$0] }, process: 7)
  }

  /// Whether the watchdog pings at each of the times.
  private func pings(
    _ watchdog: Watchdog?, at moments: [(frameCount: UInt64, nanoseconds: UInt64)]
  ) throws -> [Bool] {
    var watchdog = try #require(watchdog)
    return moments.map {
      watchdog.isDue(frameCount: $0.frameCount, nanoseconds: $0.nanoseconds)
    }
  }

  @Test func `pings twice in the manager's period while frames are rendered`() throws {
    let watchdog = watchdog(["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "7"])
    #expect(watchdog?.intervalNanoseconds == 500_000_000)
    let pings = try pings(watchdog, at: [(64, 1), (128, 499_999_999), (192, 500_000_001)])
    #expect(pings == [true, false, true])
  }

  @Test func `is silent while the audio thread hangs, and resumes with it`() throws {
    let pings = try pings(
      watchdog(["WATCHDOG_USEC": "1000000"]),
      at: [(0, 5), (64, 10), (64, 600_000_000), (64, 60_000_000_000), (65, 60_000_000_001)])
    #expect(pings == [false, true, false, false, true])
  }

  @Test(arguments: [
    [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": "-1"],
    ["WATCHDOG_USEC": "18446744073709551615"],
    ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "8"],
  ])
  func `does not exist without a request`(_ environment: [String: String]) {
    #expect(watchdog(environment) == nil)
  }
}
