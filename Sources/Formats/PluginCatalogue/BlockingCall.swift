// BlockingCall.swift: file system calls with a timeout. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// A blocking call with a timeout, for example to read a directory on a network file system that is down.
package enum BlockingCall {
  private final class Task<Value: Sendable>: Sendable {
    let outcome = Mutex<Value?>(nil)
    let work: @Sendable () -> Value
    /// A pipe.
    ///
    /// The thread closes one end when it has finished.
    let ends: (read: Int32, write: Int32)

    init?(_ work: @escaping @Sendable () -> Value) {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      self.ends = (ends[0], ends[1])
      self.work = work
    }

    deinit { close(ends.read) }

    func run() {
      let value = work()
      outcome.withLock { $0 = value }
      close(ends.write)
    }
  }

  /// Returns the result of `work`, which runs on its own thread, or nil after a timeout.
  ///
  /// The thread is then
  /// abandoned. [any]
  package static func wait<Value: Sendable>(
    seconds: Double, _ work: @escaping @Sendable () -> Value
  ) -> Value? {
    guard let task = Task(work) else { return work() }
    guard start({ task.run() }) else {
      close(task.ends.write)
      return work()
    }
    let deadline = Clock.now + Clock.nanoseconds(seconds)
    while true {
      var poll = pollfd(fd: task.ends.read, events: Int16(POLLIN), revents: 0)
      let count = unsafe Glibc.poll(&poll, 1, Clock.millisecondsUntil(deadline))
      if count > 0 { return task.outcome.withLock { $0 } }
      if count == 0 { return nil }
    }
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(Start(body))
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      unsafe context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
