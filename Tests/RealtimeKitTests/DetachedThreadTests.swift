// DetachedThreadTests.swift: threads that are not joined. SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TestWaits
import Testing

@testable import RealtimeKit

@Suite struct ThreadStartTests {
  /// The properties of a thread.
  private final class Report: Sendable {
    let ends = Mutex<(mask: sigset_t, thread: pthread_t)?>(nil)
  }

  @Test func `a detached thread runs its closure with all signals blocked`() throws {
    let report = Report()
    let code = DetachedThread.start {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      report.ends.withLock { $0 = (mask, pthread_self()) }
    }
    try #require(code == nil)
    let deadline = Deadline()
    while report.ends.withLock({ $0 == nil }) { try deadline.rest(0.001) }
    var seen = try #require(report.ends.withLock { $0 })
    #expect(pthread_equal(seen.thread, pthread_self()) == 0)
    for signal in [SIGINT, SIGTERM, SIGXFSZ, SIGHUP] {
      #expect(sigismember(&seen.mask, signal) == 1)
    }
  }

  @Test func `starting a thread does not change the caller's signal mask`() {
    var (before, after) = (sigset_t(), sigset_t())
    pthread_sigmask(SIG_SETMASK, nil, &before)
    #expect(DetachedThread.start {} == nil)
    pthread_sigmask(SIG_SETMASK, nil, &after)
    for signal in 1 ..< Int32(32) {
      #expect(sigismember(&before, signal) == sigismember(&after, signal))
    }
  }

  @Test func `the closure is released when it has returned`() throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let witness = held
    let work: @Sendable () -> Void = { [held] in _ = held }
    #expect(DetachedThread.start(work) == nil)
    _ = consume work
    held = nil
    let deadline = Deadline()
    while witness != nil { try deadline.rest(0.001) }
  }
}
