// RealtimeThread.swift: a thread that the kernel runs before all ordinary ones. SPDX-License-Identifier: MIT

import CRealtime
import Glibc

/// A POSIX thread with real-time scheduling, if the system permits it.
///
/// All signals are blocked on it, so that Ctrl-C never interrupts the audio. The entry must be a
/// `nonisolated` function, not a closure in a main-actor context, which would trap on another
/// thread.
package struct RealtimeThread: ~Copyable {
  /// The main function of the thread: called once with `context`. [render]
  package typealias Entry = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

  /// The SCHED_FIFO priority for audio, of 1 to 99: above ordinary threads, below the kernel's
  /// interrupt threads for audio if these were raised as usual (80 and more).
  package static let audioPriority: Int32 = 70

  /// The errno value if real-time scheduling was rejected; otherwise 0.
  package let schedulingError: Int32
  private let thread: pthread_t

  /// Starts the thread, with a priority of SCHED_FIFO from 1 to 99, or 0 for an ordinary thread.
  ///
  /// `context` must be valid until `join` returns. [main]
  ///
  /// - Throws: the errno value with which even an ordinary thread was refused.
  package init(
    priority: Int32 = audioPriority, entry: Entry, context: UnsafeMutableRawPointer
  ) throws(ThreadCreationError) {
    var thread = pthread_t()
    let (refusal, status) = withSignalsBlocked {
      let refusal = priority > 0 ? Self.create(&thread, priority: priority, entry, context) : 0
      let isMade = priority > 0 && refusal == 0
      return (refusal, isMade ? 0 : crealtime_start_thread(&thread, nil, entry, context))
    }
    guard status == 0 else { throw ThreadCreationError(error: status) }
    schedulingError = refusal
    self.thread = thread
  }

  /// Waits until the entry has returned. [main]
  package consuming func join() {
    pthread_join(thread, nil)
  }

  /// Abandons a thread that never returns, and removes its priority in case it spins. [main]
  package consuming func detach() {
    var parameters = sched_param(sched_priority: 0)
    pthread_setschedparam(thread, SCHED_OTHER, &parameters)
    pthread_detach(thread)
  }

  /// Creates the thread with SCHED_FIFO from its first instruction on; 0 or an errno value.
  private static func create(
    _ thread: inout pthread_t, priority: Int32, _ entry: Entry, _ context: UnsafeMutableRawPointer
  ) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    var parameters = sched_param(sched_priority: priority)
    pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    pthread_attr_setschedparam(&attributes, &parameters)
    return crealtime_start_thread(&thread, &attributes, entry, context)
  }
}

/// The kernel could not create a thread.
package struct ThreadCreationError: Error, Equatable {
  /// Why, as an errno value.
  package let error: Int32
}
