// RenderThread.swift: a bench that renders while something else is done. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// Renders a bench on a thread of its own until it is stopped; meanwhile the bench is that thread's.
final class RenderThread {
  private final class Task: Sendable {
    // Touched by the thread alone, between its start and its join.
    nonisolated(unsafe) let bench: TestBench
    let shallStop = Atomic<Bool>(false)
    init(_ bench: TestBench) { self.bench = bench }
  }

  private let task: Task
  private var thread: pthread_t?

  /// Starts to render. [main]
  init(_ bench: TestBench) {
    bench.givesSigns = false
    task = Task(bench)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(task).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let task = Unmanaged<Task>.fromOpaque(context).takeRetainedValue()
        while !task.shallStop.load(ordering: .relaxed) { task.bench.run(256) }
        return nil
      }, context)
    self.thread = code == 0 ? thread : nil
    // Without a thread what is examined is less; it is no fault of the plugin's.
    if code != 0 { Unmanaged<Task>.fromOpaque(context).release() }
  }

  /// Waits until the last block is done. [main]
  func stop() {
    task.shallStop.store(true, ordering: .relaxed)
    if let thread { pthread_join(thread, nil) }
    thread = nil
    task.bench.givesSigns = true
  }
}
