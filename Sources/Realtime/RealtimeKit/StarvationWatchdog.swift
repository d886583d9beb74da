// StarvationWatchdog.swift: gets a thread to run again that real-time threads starve. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import Synchronization

/// A watchdog for a thread that supervises real-time threads but has no real-time priority.
///
/// If real-time threads use the only processor, no other thread could stop them. So a thread of
/// higher priority sleeps until the guarded thread has not reported for a while. Then it raises the
/// priority of the guarded thread. Until then it never wakes up, because each report restarts the
/// kernel timer: a periodic wake-up would cost the audio thread too much time on one processor.
package final class StarvationWatchdog {
  private let state: UnsafeMutablePointer<StarvationState>
  private let timeoutNanoseconds: UInt64
  private var policy: Int32 = 0
  private var parameters = sched_param()
  private var thread: RealtimeThread?

  /// Guards the calling thread, which must report and end the guard. [main]
  package init(timeoutSeconds: Double = 0.5) {
    timeoutNanoseconds = UInt64(timeoutSeconds * 1e9)
    state = .allocate(capacity: 1)
    state.initialize(to: StarvationState(timer: crealtime_timer_open(), guarded: pthread_self()))
    pthread_getschedparam(pthread_self(), &policy, &parameters)
    feedWatchdog()
    // If real-time priority is rejected, the audio thread has none either.
    thread = try? RealtimeThread(
      priority: RealtimeThread.audioPriority + 1, entry: guardThread, context: state)
  }

  deinit {
    end()
    crealtime_timer_close(state.pointee.timer)
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Reports that the guarded thread runs. [main]
  package func feedWatchdog() {
    crealtime_timer_set(state.pointee.timer, timeoutNanoseconds)
  }

  /// Whether the priority of the guarded thread was raised. [main]
  package var hasTriggered: Bool { state.pointee.hasTriggered.load(ordering: .relaxed) }

  /// Ends the guard, and restores the thread's priority. [main, the guarded thread]
  package func end() {
    guard let thread = thread.take() else { return }
    state.pointee.isOver.store(true, ordering: .releasing)
    crealtime_timer_set(state.pointee.timer, 1)
    thread.join()
    pthread_setschedparam(pthread_self(), policy, &parameters)
  }
}

private struct StarvationState: ~Copyable {
  let timer: Int32
  let guarded: pthread_t
  let isOver = Atomic<Bool>(false)
  let hasTriggered = Atomic<Bool>(false)

  init(timer: Int32, guarded: pthread_t) {
    self.timer = timer
    self.guarded = guarded
  }
}

private func guardThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let state = context?.assumingMemoryBound(to: StarvationState.self),
    crealtime_timer_wait(state.pointee.timer),
    // Pairs with the releasing store in `end`.
    !state.pointee.isOver.load(ordering: .acquiring)
  else { return nil }
  var raised = sched_param(sched_priority: RealtimeThread.audioPriority + 1)
  pthread_setschedparam(state.pointee.guarded, SCHED_FIFO, &raised)
  state.pointee.hasTriggered.store(true, ordering: .relaxed)
  return nil
}
