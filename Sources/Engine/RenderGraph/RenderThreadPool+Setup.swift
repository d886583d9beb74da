// RenderThreadPool+Setup.swift: what starts and ends the threads that render together. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit
import Synchronization

/// How many threads an engine may use, and when.
package struct ThreadPolicy: Sendable, Equatable {
  /// At most so many, that of the driver included; from 1.
  package var count: Int
  /// The priority of real-time scheduling that the others ask for, 1 to 99, or nil for ordinary threads.
  package var priority: Int32?
  /// The share of a block's time below which one thread renders all of it; 0 where nobody waits for a block.
  package var shareAlone = 0.0
  /// Whether work is shared out even where that is slower, to see that the result is the same.
  package var isForced = false

  /// One thread.
  package static let one = ThreadPolicy(count: 1)
  /// Beyond these another one brings little.
  private static let usualLimit = 8
  /// Below that share a period is rendered in good time by one thread.
  private static let liveShareAlone = 0.2

  package init(count: Int, priority: Int32? = nil) {
    self.count = max(1, count)
    self.priority = priority
  }

  /// Threads for a card: as many as are wanted, or nil for as many as there are processors. [any]
  package static func live(_ wanted: Int? = nil) -> ThreadPolicy {
    var use = ThreadPolicy(count: wanted ?? processorCount, priority: RealtimeThread.audioPriority)
    use.shareAlone = liveShareAlone
    return use
  }

  /// Threads for a file, likewise. [any]
  package static func offline(_ wanted: Int? = nil) -> ThreadPolicy {
    ThreadPolicy(count: wanted ?? processorCount)
  }

  private static var processorCount: Int { min(usualLimit, Int(crealtime_processor_count())) }
}

/// The owner of a `RenderThreadPool` and its threads. [main]
final class RenderThreads {
  let pointer: UnsafeMutablePointer<RenderThreadPool>
  private let use: ThreadPolicy
  private var threads: [WorkerThread] = []

  /// A thread that is joined once.
  private final class WorkerThread {
    private var thread: RealtimeThread?

    init(_ crew: UnsafeMutablePointer<RenderThreadPool>, priority: Int32?)
      throws(ThreadCreationError)
    {
      thread = try RealtimeThread(
        priority: priority ?? 0, entry: renderWorker, context: UnsafeMutableRawPointer(crew))
    }

    func join() { thread.take()?.join() }
  }

  /// A crew without workers yet; nil where one thread is all there shall be.
  init?(_ use: ThreadPolicy, sampleRateHz: Double) {
    guard use.count > 1 else { return nil }
    self.use = use
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: RenderThreadPool(use, sampleRateHz: sampleRateHz))
  }

  /// Starts the workers, unless they are there: as many as are granted.
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
    pointer.pointee.bell.pointee.add(1, ordering: .sequentiallyConsistent)
    if !threads.isEmpty { crealtime_wake(pointer.pointee.bell, UInt32(threads.count)) }
    for thread in threads { thread.join() }
    pointer.pointee.free()
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}

extension RenderThreadPool {
  /// What a crew shares before there are workers. [main]
  init(_ use: ThreadPolicy, sampleRateHz: Double) {
    isForced = use.isForced
    shareAlone = use.shareAlone
    self.sampleRateHz = sampleRateHz
    bell = .allocate(capacity: 1)
    bell.initialize(to: Atomic(0))
    ownerSleeps = .allocate(capacity: 1)
    ownerSleeps.initialize(to: Atomic(0))
  }

  /// Frees what it holds outside of itself. [main, without threads]
  func free() {
    bell.deinitialize(count: 1)
    bell.deallocate()
    ownerSleeps.deinitialize(count: 1)
    ownerSleeps.deallocate()
  }
}

/// What a worker's thread runs.
private func renderWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  crealtime_separate_folder()
  if let context { RenderThreadPool.attend(context.assumingMemoryBound(to: RenderThreadPool.self)) }
  return nil
}
