// Errand.swift: a call on behalf of the main thread that may never come back. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
import Synchronization

/// Work on a thread of its own, which is waited for as long as it seems worth it.
///
/// What opens or closes a sound server's device waits for the server, be it one that stands still; the
/// program must not. Unlike a task, a thread that is stuck takes nobody's place.
final class Errand<Result: Sendable>: Sendable {
  private let work: @Sendable () -> Result
  private let result = Mutex<Result?>(nil)

  /// Sets out; without threads the work is done here and now. [main]
  init(_ work: @escaping @Sendable () -> Result) {
    self.work = work
    let context = Unmanaged.passRetained(Box(finish)).toOpaque()
    if !startDetached(context) { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().run() }
  }

  private func finish() {
    let value = work()
    result.withLock { $0 = value }
  }

  /// What came of it, waited for up to so long; nil where it is not done yet. [main]
  func wait(seconds: Double) -> Result? {
    let end = crealtime_nanoseconds() + UInt64(1e9 * seconds)
    while true {
      if let value = result.withLock({ $0 }) { return value }
      let now = crealtime_nanoseconds()
      if now >= end { return nil }
      crealtime_sleep_until(min(end, now + 1_000_000))
    }
  }
}

/// Carries the work through a C pointer, which knows of no generic types.
private final class Box: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Enough for alsa-lib and its plug-ins, and little where all memory is locked, in bytes.
private let stackBytes = 1 << 20

/// Starts a thread that nobody joins, deaf to signals; whether there is one.
private func startDetached(_ context: UnsafeMutableRawPointer) -> Bool {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stackBytes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  return pthread_create(&thread, &attributes, errandThread, context) == 0
}

nonisolated private func errandThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
