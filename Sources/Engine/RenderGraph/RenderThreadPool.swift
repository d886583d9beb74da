// RenderThreadPool.swift: threads that render a block together. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. RenderThreadPool+Setup.swift starts and ends the threads.

import CRealtime
import Synchronization

/// The shared state of an engine's render threads, at a fixed address: the owner, which is the
/// thread that renders the engine, and workers, which sleep while there are no tasks.
///
/// The owner takes tasks as the workers do. It waits only for workers that are running a task. A
/// worker is woken at most once in a block, when a task is ready that no thread has taken. It then
/// looks for tasks until the block is complete, or for a limited time. A thread that goes to sleep
/// first announces it and then checks for tasks once more; a thread that publishes a task first
/// does so and then checks for sleepers. All four accesses have one order
/// (`sequentiallyConsistent`), so at least one of the two threads sees the other.
struct RenderThreadPool: ~Copyable {
  /// How long a thread looks for a task before it sleeps, in ns: several times the cost of a
  /// wake-up.
  private static var spinNanoseconds: UInt64 { @_noLocks get { 100_000 } }
  /// How long a worker looks within a block, in ns.
  ///
  /// It is woken only once, and may be needed again after a part that only one thread can render.
  private static var blockSpinNanoseconds: UInt64 { @_noLocks get { 1_000_000 } }

  let queue = TaskQueue()
  /// The number of tasks of the block that are not complete.
  let unfinished = Atomic<Int>(0)
  /// The tasks of the block; set by the owner before a task can be taken.
  var tasks: UnsafeMutablePointer<RenderTaskList>?
  /// The futex of the workers, which sleep until its value changes.
  let wakeGeneration: UnsafeMutablePointer<Atomic<UInt32>>
  /// The number of workers that sleep or are about to.
  let sleepingWorkers = Atomic<UInt32>(0)
  /// 1 while the owner sleeps or is about to.
  let ownerSleeps: UnsafeMutablePointer<Atomic<UInt32>>
  /// Whether workers may still be woken in this block.
  let canWake = Atomic<Bool>(false)
  let isStopping = Atomic<Bool>(false)
  /// The number of workers, without the owner; set before a render sequence with tasks is
  /// installed.
  var workerCount = 0
  /// Whether blocks are always distributed; set while nothing is rendered.
  var isForced: Bool
  /// An observer that is called around each thread's part of a block; set while nothing is
  /// rendered.
  var observer: UnsafePointer<crealtime_observer>?
  /// The share of a period, 0 or more, below which one thread is enough.
  let serialLoadThreshold: Double
  let sampleRateHz: Double
  /// The number of blocks that several threads rendered.
  let sharedBlocks = Atomic<UInt64>(0)

  /// Renders a block's tasks, on all threads if that is faster, and returns when they are complete.
  /// [render, the owner]
  @_noLocks
  static func run(
    _ pool: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>
  ) {
    if pool.pointee.isForced {
      tasks.pointee.isParallelWorthwhile = true
    } else {
      tasks.pointee.block.isTimed = tasks.pointee.isTimed()
    }
    let isTimed = tasks.pointee.block.isTimed
    let started = isTimed ? crealtime_nanoseconds() : 0
    if tasks.pointee.isParallelWorthwhile, pool.pointee.workerCount > 0 {
      share(pool, tasks)
    } else {
      for task in 0 ..< tasks.pointee.count { tasks.pointee.run(task) }
    }
    guard isTimed else { return }
    tasks.pointee.record(nanoseconds: crealtime_nanoseconds() &- started)
    let period = Double(tasks.pointee.block.frameCount) / pool.pointee.sampleRateHz * 1e9
    tasks.pointee.evaluateParallelism(
      threadCount: pool.pointee.workerCount &+ 1,
      longestAlone: Float(period * pool.pointee.serialLoadThreshold))
  }

  @_noLocks
  private static func share(
    _ pool: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>
  ) {
    tasks.pointee.begin()
    pool.pointee.tasks = tasks
    pool.pointee.unfinished.store(tasks.pointee.count, ordering: .relaxed)
    pool.pointee.canWake.store(true, ordering: .relaxed)
    pool.pointee.sharedBlocks.add(1, ordering: .relaxed)
    pool.pointee.queue.begin(tasks.pointee.roots, tasks.pointee.rootCount)
    if tasks.pointee.rootCount > 1 { wakeWorkers(pool, tasks.pointee.width &- 1) }
    var since: UInt64 = 0
    while pool.pointee.unfinished.load(ordering: .sequentiallyConsistent) > 0 {
      let task = pool.pointee.queue.take()
      if task >= 0 {
        runTask(pool, task)
        since = 0
        continue
      }
      let now = crealtime_nanoseconds()
      if since == 0 { since = now }
      if now &- since < spinNanoseconds { crealtime_pause() } else { ownerWait(pool) }
    }
  }

  /// Renders a task and those of its successors that become ready. [render, any thread]
  @_noLocks
  private static func runTask(_ pool: UnsafeMutablePointer<RenderThreadPool>, _ first: Int) {
    guard let tasks = pool.pointee.tasks else { return }
    var next = first
    while next >= 0 {
      tasks.pointee.run(next)
      next = finish(pool, tasks, next)
    }
  }

  /// Completes a task.
  ///
  /// Returns one of the tasks that become ready with it; any thread may take the others.
  ///
  /// After the last task of a block, memory of the render sequence is not accessed.
  @_noLocks
  private static func finish(
    _ pool: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>,
    _ index: Int
  ) -> Int {
    let task = tasks.pointee.tasks[index]
    let width = tasks.pointee.width
    var next = -1
    var left = 0
    for position in 0 ..< task.successorCount {
      let successor = Int(task.successors[position])
      // Releases the task's results, and acquires the results of the other predecessors.
      let (_, waiting) = tasks.pointee.waiting[successor].subtract(
        1, ordering: .acquiringAndReleasing)
      guard waiting == 0 else { continue }
      if next < 0 {
        next = successor
      } else {
        pool.pointee.queue.put(successor)
        left &+= 1
      }
    }
    let (_, unfinished) = pool.pointee.unfinished.subtract(1, ordering: .sequentiallyConsistent)
    if left > 0 { wakeWorkers(pool, width &- 1) }
    if left > 0 || unfinished == 0 { wakeOwner(pool) }
    return next
  }

  // MARK: - Sleeping and waking

  @_noLocks
  private static func wakeWorkers(_ pool: UnsafeMutablePointer<RenderThreadPool>, _ wanted: Int) {
    guard pool.pointee.sleepingWorkers.load(ordering: .sequentiallyConsistent) > 0,
      pool.pointee.canWake.exchange(false, ordering: .relaxed)
    else { return }
    pool.pointee.wakeGeneration.pointee.add(1, ordering: .sequentiallyConsistent)
    // The only system call of a block. It is excluded from observation, because it cannot be
    // avoided.
    crealtime_exit()
    crealtime_wake(pool.pointee.wakeGeneration, UInt32(truncatingIfNeeded: wanted))
    crealtime_enter()
  }

  @_noLocks
  private static func wakeOwner(_ pool: UnsafeMutablePointer<RenderThreadPool>) {
    guard pool.pointee.ownerSleeps.pointee.load(ordering: .sequentiallyConsistent) == 1,
      pool.pointee.ownerSleeps.pointee.exchange(0, ordering: .sequentiallyConsistent) == 1
    else { return }
    crealtime_exit()
    crealtime_wake(pool.pointee.ownerSleeps, 1)
    crealtime_enter()
  }

  /// Waits until a task is ready or all tasks are complete.
  @_noLocks
  private static func ownerWait(_ pool: UnsafeMutablePointer<RenderThreadPool>) {
    pool.pointee.ownerSleeps.pointee.store(1, ordering: .sequentiallyConsistent)
    if pool.pointee.unfinished.load(ordering: .sequentiallyConsistent) > 0,
      !pool.pointee.queue.hasTask()
    {
      crealtime_exit()
      let observer = pool.pointee.observer
      if let observer { crealtime_observe_leave(observer) }
      crealtime_wait(pool.pointee.ownerSleeps, 1)
      if let observer { crealtime_observe_join(observer) }
      crealtime_enter()
    }
    pool.pointee.ownerSleeps.pointee.store(0, ordering: .sequentiallyConsistent)
  }

  /// Takes and renders tasks until the pool ends. [render, a worker]
  @_noLocks
  static func workerLoop(_ pool: UnsafeMutablePointer<RenderThreadPool>) {
    _ = crealtime_flush_denormals()
    crealtime_enter()
    var since: UInt64 = 0
    while !pool.pointee.isStopping.load(ordering: .acquiring) {
      let task = pool.pointee.queue.take()
      if task >= 0 {
        // A plugin may have changed this setting.
        _ = crealtime_flush_denormals()
        // Read after a task was taken, because the task makes all earlier settings visible.
        let observer = pool.pointee.observer
        if let observer { crealtime_observe_join(observer) }
        runTask(pool, task)
        crealtime_check_x87(nil)
        if let observer { crealtime_observe_leave(observer) }
        since = 0
        continue
      }
      let now = crealtime_nanoseconds()
      if since == 0 { since = now }
      if shouldKeepSpinning(pool, for: now &- since) { crealtime_pause() } else { sleep(pool) }
    }
    crealtime_exit()
  }

  /// Whether a worker keeps looking for tasks: during a block; and until the next block if no
  /// device waits for it.
  @_noLocks
  private static func shouldKeepSpinning(
    _ pool: UnsafeMutablePointer<RenderThreadPool>, for nanoseconds: UInt64
  ) -> Bool {
    if pool.pointee.unfinished.load(ordering: .relaxed) > 0 {
      return nanoseconds < blockSpinNanoseconds
    }
    return pool.pointee.serialLoadThreshold == 0 && nanoseconds < spinNanoseconds
  }

  @_noLocks
  private static func sleep(_ pool: UnsafeMutablePointer<RenderThreadPool>) {
    // Read before the check for tasks: a wake-up after this point is not missed.
    let seenGeneration = pool.pointee.wakeGeneration.pointee.load(ordering: .sequentiallyConsistent)
    pool.pointee.sleepingWorkers.add(1, ordering: .sequentiallyConsistent)
    if !pool.pointee.queue.hasTask(),
      !pool.pointee.isStopping.load(ordering: .sequentiallyConsistent)
    {
      crealtime_exit()
      crealtime_wait(pool.pointee.wakeGeneration, seenGeneration)
      crealtime_enter()
    }
    pool.pointee.sleepingWorkers.subtract(1, ordering: .sequentiallyConsistent)
  }
}
