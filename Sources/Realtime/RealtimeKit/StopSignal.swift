// StopSignal.swift: requests a waiting thread to end. SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// A flag with a file descriptor, so that a thread can wait for it and for a device at once.
package struct StopSignal: ~Copyable {
  /// Becomes readable when the signal is raised, until `reset` is called; -1 if the kernel had no
  /// descriptor left.
  package let descriptor: Int32
  private let writeEnd: Int32
  private let flag = Atomic<Bool>(false)

  /// A signal that is not raised. [main]
  package init() {
    // A pipe, as Glibc's module has no eventfd.
    var ends: (Int32, Int32) = (-1, -1)
    withUnsafeMutableBytes(of: &ends) { bytes in
      _ = pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    for end in [ends.0, ends.1] where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writeEnd) = ends
  }

  deinit {
    for end in [descriptor, writeEnd] where end >= 0 { close(end) }
  }

  /// Whether the signal was raised. [any]
  package var isRaised: Bool {
    @_noLocks get { flag.load(ordering: .relaxed) }
  }

  /// Wakes threads that wait on the descriptor. [any but render]
  package func signal() {
    flag.store(true, ordering: .relaxed)
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Resets the signal. [main, nobody waiting]
  package func reset() {
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1 {}
    flag.store(false, ordering: .relaxed)
  }
}
