// DetachedThread.swift: a thread for work that may wait, for instance for a disk. SPDX-License-Identifier: MIT

import Glibc

/// A thread that nobody joins: whoever started it goes on even where it hangs.
package enum DetachedThread {
  /// Starts a thread that does this and ends; an errno value where there is none to be had. [main]
  ///
  /// It hears no signals: a Ctrl-C is not for it, nor is the one by which a limit of file sizes is told.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Int32? {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Little where all memory is locked; codecs need some of it.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Work(work))
    let code = pthread_create(&thread, &attributes, detachedThread, context.toOpaque())
    guard code != 0 else { return nil }
    context.release()
    return code
  }

  fileprivate final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// What the thread runs.
private func detachedThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<DetachedThread.Work>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
