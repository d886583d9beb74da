// RenderThreadPool+Setup.swift: starts and ends the render threads. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit
import Synchronization

/// The number of threads that an engine may use, and when.
package struct ThreadPolicy: Sendable, Equatable {
  /// The maximum number of threads, the driver's included; at least 1.
  package var count: Int
  /// The real-time priority of the other threads, 1 to 99, or nil for ordinary threads.
  package var priority: Int32?
  /// The share of a period below which one thread renders all of it; 0 if no device waits for the
  /// block.
  package var serialLoadThreshold = 0.0
  /// Whether blocks are always distributed, even if that is slower, to verify that the result is
  /// the same.
  package var isForced = false

  /// A single thread.
  package static let one = ThreadPolicy(count: 1)
  /// The default maximum: more threads save little.
  private static let defaultLimit = 8
  /// The default share of a period below which a single thread is fast enough.
  private static let serialLoadThreshold = 0.2

  /// Creates a policy with a maximum number of threads, at least 1, and the real-time priority of the
  /// other threads; nil for ordinary threads.
  package init(count: Int, priority: Int32? = nil) {
    self.count = max(1, count)
    self.priority = priority
  }

  /// Returns the policy for a card: `wanted` threads, or nil for the number of processors. [any]
  package static func live(_ wanted: Int? = nil) -> ThreadPolicy {
    var use = ThreadPolicy(count: wanted ?? processorCount, priority: RealtimeThread.audioPriority)
    use.serialLoadThreshold = serialLoadThreshold
    return use
  }

  /// Returns the policy for rendering files: `wanted` threads, or nil for the number of processors.
  /// [any]
  package static func offline(_ wanted: Int? = nil) -> ThreadPolicy {
    ThreadPolicy(count: wanted ?? processorCount)
  }

  private static var processorCount: Int { min(defaultLimit, Int(crealtime_processor_count())) }
}

/// The owner of a `RenderThreadPool` and its threads. [main]
final class RenderThreads {
  let pointer: UnsafeMutablePointer<RenderThreadPool>
  private let use: ThreadPolicy
  private var threads: [WorkerThread] = []

  /// A thread that is joined once.
  private final class WorkerThread {
    private var thread: RealtimeThread?

    init(_ pool: UnsafeMutablePointer<RenderThreadPool>, priority: Int32?)
      throws(ThreadCreationError)
    {
      thread = try RealtimeThread(
        priority: priority ?? 0, entry: renderWorker, context: UnsafeMutableRawPointer(pool))
    }

    func join() { thread.take()?.join() }
  }

  /// Creates a pool without workers; returns nil if one thread is enough.
  init?(_ use: ThreadPolicy, sampleRateHz: Double) {
    guard use.count > 1 else { return nil }
    self.use = use
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: RenderThreadPool(use, sampleRateHz: sampleRateHz))
  }

  /// Starts the workers, unless they are running: as many as the system allows.
  func start() {
    guard threads.isEmpty else { return }
    for _ in 1 ..< use.count {
      guard let thread = try? WorkerThread(pointer, priority: use.priority) else { break }
      threads.append(thread)
    }
    pointer.pointee.workerCount = threads.count
  }

  /// Ends the workers; nothing is rendered any more.
  deinit {
    pointer.pointee.isStopping.store(true, ordering: .sequentiallyConsistent)
    pointer.pointee.wakeGeneration.pointee.add(1, ordering: .sequentiallyConsistent)
    if !threads.isEmpty { crealtime_wake(pointer.pointee.wakeGeneration, UInt32(threads.count)) }
    for thread in threads { thread.join() }
    pointer.pointee.free()
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}

extension RenderThreadPool {
  /// Creates the shared state, before there are workers. [main]
  init(_ use: ThreadPolicy, sampleRateHz: Double) {
    isForced = use.isForced
    serialLoadThreshold = use.serialLoadThreshold
    self.sampleRateHz = sampleRateHz
    wakeGeneration = .allocate(capacity: 1)
    wakeGeneration.initialize(to: Atomic(0))
    ownerSleeps = .allocate(capacity: 1)
    ownerSleeps.initialize(to: Atomic(0))
  }

  /// Frees separately allocated memory. [main, without threads]
  func free() {
    wakeGeneration.deinitialize(count: 1)
    wakeGeneration.deallocate()
    ownerSleeps.deinitialize(count: 1)
    ownerSleeps.deallocate()
  }
}

/// The main function of a worker thread.
private func renderWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  crealtime_separate_directory()
  if let context {
    RenderThreadPool.workerLoop(context.assumingMemoryBound(to: RenderThreadPool.self))
  }
  return nil
}
