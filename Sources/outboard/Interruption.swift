// Interruption.swift: Ctrl-C and its like, as something to wait for. SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// SIGINT, SIGTERM and SIGHUP, which ask for the end.
///
/// They are blocked for all threads made afterwards and taken by one that does nothing else, so no
/// handler runs at an awkward moment. A second one ends the program at once, whatever it is doing: a
/// plugin that never comes back holds nobody. One that is ignored stays so: `nohup` and shells that
/// start a job in the background mean it.
final class Interruption: Sendable {
  private let raised = Atomic<Bool>(false)
  private let awaited = Atomic<Bool>(false)
  private let arrival = DispatchSemaphore(value: 0)

  /// Whether the end was asked for. [any]
  var isRaised: Bool { raised.load(ordering: .acquiring) }

  /// From here on the end is awaited, and comes in good order; before that it comes at once. [main]
  func begin() { awaited.store(true, ordering: .releasing) }

  /// Blocks the signals; made before any other thread, which would take them else: whoever calls a
  /// compiler has some. [main]
  init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(signal) {
      sigaddset(&signals, signal)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // Holds this object for good, which lives as long as the program anyway.
    Thread.detachNewThread { [signals] in self.take(signals) }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler
    else { return false }
    // SIG_IGN, a macro with a cast.
    return unsafeBitCast(handler, to: Int.self) == 1
  }

  /// Ends a wait early, for something else than the end. [any]
  func wake() { arrival.signal() }

  /// Waits until the end is asked for, someone wakes it, or for so long. [main]
  func wait(seconds: Double) {
    guard !isRaised else { return }
    _ = arrival.wait(timeout: .now() + seconds)
  }

  private func take(_ signals: sigset_t) {
    var signals = signals
    var signal: Int32 = 0
    while sigwait(&signals, &signal) != 0 {}
    guard awaited.load(ordering: .acquiring) else {
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      kill(getpid(), signal)
      while true { pause() }
    }
    raised.store(true, ordering: .releasing)
    arrival.signal()
    // From here on they do what they do in any program.
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    while true { pause() }
  }
}
