// RenderThread.swift: a bench that renders on its own thread. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// Renders a bench on its own thread until it is stopped.
///
/// Do not use the bench meanwhile.
final class RenderThread {
  private final class Task: Sendable {
    // Used only by the thread, from its start to its join.
    nonisolated(unsafe) let bench: TestBench
    let shouldStop = Atomic<Bool>(false)
    init(_ bench: TestBench) { unsafe self.bench = bench }
  }

  private let task: Task
  private var thread: pthread_t?

  /// Starts the thread. [main]
  init(_ bench: TestBench) {
    bench.sendsHeartbeats = false
    task = Task(bench)
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(task).toOpaque()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let task = unsafe Unmanaged<Task>.fromOpaque(context).takeRetainedValue()
        while !task.shouldStop.load(ordering: .relaxed) { unsafe task.bench.run(256) }
        return nil
      }, context)
    self.thread = code == 0 ? thread : nil
    // Without a thread, less is tested; this is not a fault of the plugin.
    if code != 0 { unsafe Unmanaged<Task>.fromOpaque(context).release() }
  }

  /// Waits for the last block. [main]
  func stop() {
    task.shouldStop.store(true, ordering: .relaxed)
    if let thread { pthread_join(thread, nil) }
    thread = nil
    unsafe task.bench.sendsHeartbeats = true
  }
}
