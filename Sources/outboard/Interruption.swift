// Interruption.swift: Ctrl-C and its like, as something to wait for. SPDX-License-Identifier: MIT

import Glibc

/// SIGINT, SIGTERM and SIGHUP, which ask for the end.
///
/// They are blocked for all threads made afterwards and taken by waiting, so no handler runs at an
/// awkward moment. A second one ends the program at once.
final class Interruption {
  private var signals = sigset_t()
  /// Whether the end was asked for.
  private(set) var isRaised = false

  /// Blocks the signals; made before any other thread. [main]
  init() {
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits until the end is asked for, or for so long. [main]
  func wait(seconds: Double) {
    var time = timespec()
    time.tv_sec = Int(seconds)
    time.tv_nsec = Int((seconds - Double(Int(seconds))) * 1e9)
    if sigtimedwait(&signals, nil, &time) > 0 {
      isRaised = true
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
  }

  /// Looks whether the end was asked for, without waiting. [main]
  func poll() -> Bool {
    if !isRaised { wait(seconds: 0) }
    return isRaised
  }
}
