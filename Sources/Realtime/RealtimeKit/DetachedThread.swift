// DetachedThread.swift: how threads of our own begin. SPDX-License-Identifier: MIT

import Glibc

/// Runs `work` with all signals blocked except those of a crash.
///
/// Threads that `work` starts inherit the mask. Ctrl-C and the signal of a file size limit
/// therefore reach only the main thread. [any one thread]
package func withSignalsBlocked<Result>(_ work: () -> Result) -> Result {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  for crash in [SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTRAP] { sigdelset(&all, crash) }
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  return work()
}

/// A thread that is not joined and blocks signals.
package enum DetachedThread {
  /// The stack size in bytes: enough for codecs, alsa-lib and its plugins, but small for locked
  /// memory.
  private static let stackBytes = 1 << 20

  /// Carries the work through a C pointer.
  fileprivate final class Box: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread that does the work and keeps its data alive until then.
  ///
  /// Returns an errno value if no thread can be created; the work is dropped then. [any one thread]
  package static func start(_ work: @escaping @Sendable () -> Void) -> Int32? {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackBytes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Box(work))
    let code = withSignalsBlocked {
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
