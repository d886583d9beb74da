// DummyLoop.swift: the audio thread of the dummy driver. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. It only waits for the
// clock.

import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// The state of the thread, at a fixed address.
struct DummyState: ~Copyable {
  let callback: crealtime_render_callback
  let periodFrames: Int
  let sampleRateHz: Double
  let stop = StopSignal()
  let xruns = Atomic<Int>(0)
  let lostNanoseconds = Atomic<UInt64>(0)
  let isRunning = Atomic<Bool>(true)

  /// Creates the state of a thread that is about to start. [main]
  init(callback: crealtime_render_callback, periodFrames: Int, sampleRateHz: Double) {
    self.callback = callback
    self.periodFrames = periodFrames
    self.sampleRateHz = sampleRateHz
  }
}

/// The main function of the audio thread; `context` is a `DummyState`. [render]
nonisolated func dummyThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  crealtime_separate_directory()
  if let context { runDummy(context.assumingMemoryBound(to: DummyState.self)) }
  return nil
}

@_noLocks
private func runDummy(_ state: UnsafeMutablePointer<DummyState>) {
  let periodFrames = state.pointee.periodFrames
  let nanosecondsPerFrame = 1e9 / state.pointee.sampleRateHz
  let period = UInt64(Double(periodFrames) * nanosecondsPerFrame)
  var began = crealtime_nanoseconds()
  var frames = 0
  while !state.pointee.stop.isRaised {
    frames &+= periodFrames
    // Counted from the beginning, so that rounding errors do not accumulate.
    let due = began &+ UInt64(Double(frames) * nanosecondsPerFrame)
    sleep(until: due, state)
    if state.pointee.stop.isRaised { break }
    let now = crealtime_nanoseconds()
    if now > due &+ period {
      state.pointee.xruns.add(1, ordering: .relaxed)
      state.pointee.lostNanoseconds.add(now &- due, ordering: .relaxed)
      began = now
      frames = 0
    }
    crealtime_render(
      state.pointee.callback, UInt32(truncatingIfNeeded: periodFrames), crealtime_nanoseconds())
  }
  state.pointee.isRunning.store(false, ordering: .releasing)
}

/// Sleeps until a time on the monotonic clock, or until the thread is stopped.
@_noLocks
private func sleep(until due: UInt64, _ state: UnsafeMutablePointer<DummyState>) {
  // In parts, so that a long period does not delay a stop.
  let longest: UInt64 = 20_000_000
  var now = crealtime_nanoseconds()
  while now < due, !state.pointee.stop.isRaised {
    crealtime_sleep_until(min(due, now &+ longest))
    now = crealtime_nanoseconds()
  }
}
