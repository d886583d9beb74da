// RenderPool.swift: the worker processes of a batch. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import RealtimeKit
import Synchronization

/// A pool of threads with one worker process each, which take jobs in order.
final class RenderPool: Sendable {
  private struct State {
    var next = 0
    var threadCount = 0
    var workers: [Int: Weak] = [:]
    var ends: [(Int, RenderBatch.End)] = []
    var isStopped = false
  }

  /// A worker that belongs to another thread.
  private struct Weak: @unchecked Sendable {
    // Sendable because only `stop` is called.
    weak var worker: RenderWorker?
  }

  private let jobs: [RenderJobs.Job]
  private let arguments: [String]
  private let onEnd: @Sendable () -> Void
  private let state = Mutex(State())

  /// Creates a pool that is not started.
  ///
  /// Calls `onEnd` on another thread after each job and at the end.
  init(
    _ jobs: [RenderJobs.Job], _ arguments: [String], onEnd: @escaping @Sendable () -> Void
  ) {
    (self.jobs, self.arguments, self.onEnd) = (jobs, arguments, onEnd)
  }

  /// Starts `count` workers. [main]
  func start(_ count: Int) {
    state.withLock { $0.threadCount = count }
    for seat in 0 ..< count { _ = DetachedThread.start { self.serve(seat) } }
  }

  /// Whether no job is running and no job is left. [any]
  var isOver: Bool { state.withLock { $0.threadCount == 0 } }

  /// Returns the results since the last call, with their indices. [any]
  func takeEnds() -> [(Int, RenderBatch.End)] {
    state.withLock { state in
      defer { state.ends = [] }
      return state.ends
    }
  }

  /// Starts no more jobs and stops the running ones. [any]
  func stop() {
    let workers = state.withLock { state in
      state.isStopped = true
      return state.workers.values.map { $0 }
    }
    for weak in workers { weak.worker?.stop() }
  }

  private func nextJob() -> Int? {
    state.withLock { state in
      guard !state.isStopped, state.next < jobs.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func serve(_ seat: Int) {
    var worker: RenderWorker?
    while let index = nextJob() {
      do throws(RenderWorker.StartFault) {
        if worker == nil { worker = try start(seat) }
      } catch {
        let reason = unsafe String(cString: strerror(error.code))
        record(
          .init(
            outcome: .failed("Cannot start a render process: \(reason)."), status: 1,
            notes: []),
          index)
        continue
      }
      guard let current = worker else { continue }
      record(current.render(jobs[index]), index)
      if current.isGone { worker = nil }
    }
    worker = nil
    state.withLock { $0.threadCount -= 1 }
    onEnd()
  }

  private func start(_ seat: Int) throws(RenderWorker.StartFault) -> RenderWorker {
    let worker = try RenderWorker(arguments)
    let weak = Weak(worker: worker)
    let isStopped = state.withLock { state in
      state.workers[seat] = weak
      return state.isStopped
    }
    if isStopped { worker.stop() }
    return worker
  }

  private func record(_ end: RenderBatch.End, _ index: Int) {
    state.withLock { $0.ends.append((index, end)) }
    onEnd()
  }
}
