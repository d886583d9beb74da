// StarvationWatchdogTests.swift: when a starving thread gets a higher priority. SPDX-License-Identifier: MIT

import Foundation
import RealtimeKit
import Testing

@Suite struct StarvationWatchdogTests {
  @Test func `a thread without progress is raised in priority until it ends`() {
    let before = scheduling()
    let starvation = StarvationWatchdog(timeoutSeconds: 0.001)
    for _ in 0 ..< 60_000 where !starvation.hasTriggered { Thread.sleep(forTimeInterval: 0.001) }
    #expect(starvation.hasTriggered)
    starvation.end()
    #expect(scheduling() == before)
  }

  @Test func `a thread that stops in time keeps its priority`() {
    let before = scheduling()
    let starvation = StarvationWatchdog(timeoutSeconds: 3_600)
    for _ in 0 ..< 100 { starvation.feedWatchdog() }
    #expect(scheduling() == before)
    starvation.end()
    #expect(!starvation.hasTriggered)
    #expect(scheduling() == before)
  }

  @Test func `a thread that is no longer watched ends`() {
    for _ in 0 ..< 20 { _ = StarvationWatchdog(timeoutSeconds: 3_600) }
  }

  /// This thread's policy and priority.
  private func scheduling() -> [Int32] {
    var policy: Int32 = 0
    var parameters = sched_param()
    pthread_getschedparam(pthread_self(), &policy, &parameters)
    return [policy, parameters.sched_priority]
  }
}
