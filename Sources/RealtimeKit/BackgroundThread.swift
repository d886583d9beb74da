// BackgroundThread.swift: an ordinary thread for work beside the sound. SPDX-License-Identifier: MIT

import Glibc

/// Work that may wait, on a thread of its own that no signal interrupts.
package enum BackgroundThread {
  /// Starts it; false where there is no thread to be had. [any but render]
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // A Ctrl-C is not for it.
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Little where all memory is locked.
    pthread_attr_setstacksize(&attributes, 1 << 19)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Work(work))
    guard pthread_create(&thread, &attributes, enter, context.toOpaque()) == 0 else {
      context.release()
      return false
    }
    return true
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
    { context in
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }
}
