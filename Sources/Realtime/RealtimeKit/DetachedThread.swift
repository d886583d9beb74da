// DetachedThread.swift: how threads of our own begin. SPDX-License-Identifier: MIT

import Glibc

/// Runs `work` with all signals blocked except those of a crash.
///
/// Threads that `work` starts inherit the mask. Ctrl-C and the signal of a file size limit
/// therefore reach only the main thread. [any one thread]
func withoutSignals<Result>(_ work: () -> Result) -> Result {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  for crash in [SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTRAP] { sigdelset(&all, crash) }
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return work()
}

/// A thread that nobody joins, deaf to signals.
package enum DetachedThread {
  /// Enough for codecs, for alsa-lib and for its plug-ins, and little where all memory is locked, in bytes.
  private static let stackBytes = 1 << 20

  /// Carries the work through a C pointer.
  fileprivate final class Box: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that does the work, and keeps what it holds alive until then; an errno value where
  /// there is none to be had, and the work is let go of undone. [any one thread]
  package static func start(_ work: @escaping @Sendable () -> Void) -> Int32? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackBytes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Box(work))
    let code = withoutSignals {
      pthread_create(&thread, &attributes, detachedThread, context.toOpaque())
    }
    guard code != 0 else { return nil }
    context.release()
    return code
  }
}

nonisolated private func detachedThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<DetachedThread.Box>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
