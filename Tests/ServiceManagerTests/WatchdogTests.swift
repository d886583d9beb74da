// WatchdogTests.swift: when the service manager hears that the sound is alive. SPDX-License-Identifier: MIT

import ServiceManager
import Testing

@Suite struct `A watchdog` {
  private func watchdog(_ environment: [String: String], process: Int32 = 7) -> Watchdog? {
    Watchdog(environment: { environment[$0] }, process: process)
  }

  @Test func `pings twice in the time the manager grants, while frames are rendered`() throws {
    var watchdog = try #require(watchdog(["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "7"]))
    #expect(watchdog.intervalNanoseconds == 500_000_000)
    #expect(watchdog.isDue(frameCount: 64, nanoseconds: 1))
    #expect(!watchdog.isDue(frameCount: 128, nanoseconds: 499_999_999))
    #expect(watchdog.isDue(frameCount: 192, nanoseconds: 500_000_001))
  }

  @Test func `is silent while the audio thread hangs, and goes on when it does`() throws {
    var watchdog = try #require(watchdog(["WATCHDOG_USEC": "1000000"]))
    #expect(!watchdog.isDue(frameCount: 0, nanoseconds: 5))
    #expect(watchdog.isDue(frameCount: 64, nanoseconds: 10))
    #expect(!watchdog.isDue(frameCount: 64, nanoseconds: 600_000_000))
    #expect(!watchdog.isDue(frameCount: 64, nanoseconds: 60_000_000_000))
    #expect(watchdog.isDue(frameCount: 65, nanoseconds: 60_000_000_001))
  }

  @Test(arguments: [
    [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": "-1"],
    ["WATCHDOG_USEC": "18446744073709551615"],
    ["WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "8"],
  ])
  func `is not there where it was not asked for`(_ environment: [String: String]) {
    #expect(watchdog(environment) == nil)
  }
}
