// RenderThreadPool.swift: threads that render a block together. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. RenderThreadPool+Setup.swift starts and ends the threads.

import CRealtime
import Synchronization

/// What the threads of an engine share, at a fixed address: the owner, which is whoever renders the engine, and
/// workers, which sleep while there is nothing to do.
///
/// The owner takes tasks as the workers do, and never waits for a worker but for one that is within a task. A
/// worker is woken at most once in a block, when there is a task that nobody has in hand; then it looks for more
/// until the block is over, or until it has looked in vain for a while. Whoever goes to sleep says so first and
/// looks once more; whoever leaves work says that first, and then looks who sleeps. All four are in one order
/// (`sequentiallyConsistent`), so that one of both sees the other.
struct RenderThreadPool: ~Copyable {
  /// So long a thread looks for a task before it sleeps, in ns: some times what a wake costs.
  private static var patience: UInt64 { @_noLocks get { 100_000 } }
  /// So long a worker does within a block, in ns: it is woken once, and may be of use behind a part that one
  /// thread has to do alone.
  private static var blockPatience: UInt64 { @_noLocks get { 1_000_000 } }

  let queue = TaskQueue()
  /// Tasks of the block that are not over.
  let unfinished = Atomic<Int>(0)
  /// What is rendered; set by the owner before a task can be taken.
  var tasks: UnsafeMutablePointer<RenderTaskList>?
  /// Workers sleep until it changes.
  let bell: UnsafeMutablePointer<Atomic<UInt32>>
  /// Workers that sleep, or are about to.
  let sleepers = Atomic<UInt32>(0)
  /// 1 while the owner sleeps, or is about to.
  let ownerSleeps: UnsafeMutablePointer<Atomic<UInt32>>
  /// Whether workers may still be woken in this block.
  let mayWake = Atomic<Bool>(false)
  let isStopping = Atomic<Bool>(false)
  /// Workers that there are, the owner not counted; set before a program with tasks is installed.
  var workerCount = 0
  /// Whether tasks are shared out even where that is no use; set while nothing is rendered.
  var isForced: Bool
  /// What brackets that which a thread does for a block; set while nothing is rendered.
  var observer: UnsafePointer<crealtime_observer>?
  /// The share of a period, 0 and more, below which one thread is enough.
  let shareAlone: Double
  let sampleRateHz: Double
  /// Blocks that were shared out since the start.
  let sharedBlocks = Atomic<UInt64>(0)

  /// Renders a block's tasks, by all threads where that pays, and returns when they are over. [render, the
  /// owner]
  @_noLocks
  static func run(
    _ crew: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>
  ) {
    if crew.pointee.isForced {
      tasks.pointee.isWorth = true
    } else {
      tasks.pointee.block.isTimed = tasks.pointee.isTimed()
    }
    let isTimed = tasks.pointee.block.isTimed
    let started = isTimed ? crealtime_nanoseconds() : 0
    if tasks.pointee.isWorth, crew.pointee.workerCount > 0 {
      share(crew, tasks)
    } else {
      for task in 0 ..< tasks.pointee.count { tasks.pointee.run(task) }
    }
    guard isTimed else { return }
    tasks.pointee.note(nanoseconds: crealtime_nanoseconds() &- started)
    let period = Double(tasks.pointee.block.frameCount) / crew.pointee.sampleRateHz * 1e9
    tasks.pointee.judge(
      threadCount: crew.pointee.workerCount &+ 1,
      longestAlone: Float(period * crew.pointee.shareAlone))
  }

  @_noLocks
  private static func share(
    _ crew: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>
  ) {
    tasks.pointee.begin()
    crew.pointee.tasks = tasks
    crew.pointee.unfinished.store(tasks.pointee.count, ordering: .relaxed)
    crew.pointee.mayWake.store(true, ordering: .relaxed)
    crew.pointee.sharedBlocks.add(1, ordering: .relaxed)
    crew.pointee.queue.begin(tasks.pointee.roots, tasks.pointee.rootCount)
    if tasks.pointee.rootCount > 1 { callWorkers(crew, tasks.pointee.width &- 1) }
    var since: UInt64 = 0
    while crew.pointee.unfinished.load(ordering: .sequentiallyConsistent) > 0 {
      let task = crew.pointee.queue.take()
      if task >= 0 {
        work(crew, task)
        since = 0
        continue
      }
      let now = crealtime_nanoseconds()
      if since == 0 { since = now }
      if now &- since < patience { crealtime_pause() } else { sleepAsOwner(crew) }
    }
  }

  /// Renders a task, and what follows from it. [render, any thread]
  @_noLocks
  private static func work(_ crew: UnsafeMutablePointer<RenderThreadPool>, _ first: Int) {
    guard let tasks = crew.pointee.tasks else { return }
    var next = first
    while next >= 0 {
      tasks.pointee.run(next)
      next = finish(crew, tasks, next)
    }
  }

  /// Ends a task: of those that waited for it alone one is returned, others are left to whoever comes.
  ///
  /// After the last task of a block nothing of the program is touched.
  @_noLocks
  private static func finish(
    _ crew: UnsafeMutablePointer<RenderThreadPool>, _ tasks: UnsafeMutablePointer<RenderTaskList>,
    _ index: Int
  ) -> Int {
    let task = tasks.pointee.tasks[index]
    let width = tasks.pointee.width
    var next = -1
    var left = 0
    for place in 0 ..< task.successorCount {
      let successor = Int(task.successors[place])
      // Releases what was rendered, and acquires what the others have rendered for the same task.
      let (_, waiting) = tasks.pointee.waiting[successor].subtract(
        1, ordering: .acquiringAndReleasing)
      guard waiting == 0 else { continue }
      if next < 0 {
        next = successor
      } else {
        crew.pointee.queue.put(successor)
        left &+= 1
      }
    }
    let (_, unfinished) = crew.pointee.unfinished.subtract(1, ordering: .sequentiallyConsistent)
    if left > 0 { callWorkers(crew, width &- 1) }
    if left > 0 || unfinished == 0 { callOwner(crew) }
    return next
  }

  // MARK: - Sleeping and waking

  @_noLocks
  private static func callWorkers(_ crew: UnsafeMutablePointer<RenderThreadPool>, _ wanted: Int) {
    guard crew.pointee.sleepers.load(ordering: .sequentiallyConsistent) > 0,
      crew.pointee.mayWake.exchange(false, ordering: .relaxed)
    else { return }
    crew.pointee.bell.pointee.add(1, ordering: .sequentiallyConsistent)
    // The one system call of a block: neither watched nor counted, as there is no other way.
    crealtime_exit()
    crealtime_wake(crew.pointee.bell, UInt32(truncatingIfNeeded: wanted))
    crealtime_enter()
  }

  @_noLocks
  private static func callOwner(_ crew: UnsafeMutablePointer<RenderThreadPool>) {
    guard crew.pointee.ownerSleeps.pointee.load(ordering: .sequentiallyConsistent) == 1,
      crew.pointee.ownerSleeps.pointee.exchange(0, ordering: .sequentiallyConsistent) == 1
    else { return }
    crealtime_exit()
    crealtime_wake(crew.pointee.ownerSleeps, 1)
    crealtime_enter()
  }

  /// Waits for a task that is ready, or for the last one to be over.
  @_noLocks
  private static func sleepAsOwner(_ crew: UnsafeMutablePointer<RenderThreadPool>) {
    crew.pointee.ownerSleeps.pointee.store(1, ordering: .sequentiallyConsistent)
    if crew.pointee.unfinished.load(ordering: .sequentiallyConsistent) > 0,
      !crew.pointee.queue.hasTask()
    {
      crealtime_exit()
      let observer = crew.pointee.observer
      if let observer { crealtime_observe_leave(observer) }
      crealtime_wait(crew.pointee.ownerSleeps, 1)
      if let observer { crealtime_observe_join(observer) }
      crealtime_enter()
    }
    crew.pointee.ownerSleeps.pointee.store(0, ordering: .sequentiallyConsistent)
  }

  /// What a worker does until it is told to stop. [render, a worker]
  @_noLocks
  static func attend(_ crew: UnsafeMutablePointer<RenderThreadPool>) {
    _ = crealtime_flush_denormals()
    crealtime_enter()
    var since: UInt64 = 0
    while !crew.pointee.isStopping.load(ordering: .acquiring) {
      let task = crew.pointee.queue.take()
      if task >= 0 {
        // Set anew, as a plugin may have changed it.
        _ = crealtime_flush_denormals()
        // Asked behind the task, which comes with all that was set before.
        let observer = crew.pointee.observer
        if let observer { crealtime_observe_join(observer) }
        work(crew, task)
        crealtime_check_x87(nil)
        if let observer { crealtime_observe_leave(observer) }
        since = 0
        continue
      }
      let now = crealtime_nanoseconds()
      if since == 0 { since = now }
      if isHopeful(crew, for: now &- since) { crealtime_pause() } else { sleep(crew) }
    }
    crealtime_exit()
  }

  /// Whether a worker should go on looking: while a block is under way, and where nobody waits for a card
  /// until the next one.
  @_noLocks
  private static func isHopeful(
    _ crew: UnsafeMutablePointer<RenderThreadPool>, for nanoseconds: UInt64
  ) -> Bool {
    if crew.pointee.unfinished.load(ordering: .relaxed) > 0 { return nanoseconds < blockPatience }
    return crew.pointee.shareAlone == 0 && nanoseconds < patience
  }

  @_noLocks
  private static func sleep(_ crew: UnsafeMutablePointer<RenderThreadPool>) {
    // Looked at first: whoever rings from here on is not missed.
    let heard = crew.pointee.bell.pointee.load(ordering: .sequentiallyConsistent)
    crew.pointee.sleepers.add(1, ordering: .sequentiallyConsistent)
    if !crew.pointee.queue.hasTask(),
      !crew.pointee.isStopping.load(ordering: .sequentiallyConsistent)
    {
      crealtime_exit()
      crealtime_wait(crew.pointee.bell, heard)
      crealtime_enter()
    }
    crew.pointee.sleepers.subtract(1, ordering: .sequentiallyConsistent)
  }
}
