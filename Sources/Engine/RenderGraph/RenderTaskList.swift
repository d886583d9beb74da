// RenderTaskList.swift: the tasks of a render sequence, for the threads that render it. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. RenderTaskList+Setup.swift makes and frees them.

import CRealtime
import Synchronization

/// One task: steps that stand in a row.
struct RenderTask: BitwiseCopyable {
  let firstStep: Int
  let endStep: Int
  /// The first of its nodes in the order of the guard.
  let firstGuarded: Int
  let predecessorCount: UInt32
  let successors: UnsafePointer<UInt32>
  let successorCount: Int
}

/// The tasks of a program, in an order in which one thread may render them; at a fixed address.
struct RenderTaskList: ~Copyable {
  let tasks: UnsafeMutablePointer<RenderTask>
  let count: Int
  /// Those that wait for nothing.
  let roots: UnsafeMutablePointer<UInt32>
  let rootCount: Int
  /// How many may be at work at once.
  let width: Int
  /// For each task how many of its predecessors are not over.
  let waiting: UnsafeMutablePointer<Atomic<UInt32>>
  /// What each took, in ns, smoothed; written by whoever renders it.
  let costs: UnsafeMutablePointer<Float>
  /// The moment at which each could begin if it had a processor of its own, in ns: scratch.
  let starts: UnsafeMutablePointer<Float>
  let successors: UnsafeMutablePointer<UInt32>
  /// What the block is rendered with; set before a thread sees it.
  var block = TaskBlock()
  /// Whether it pays to use several threads.
  var isWorth = false
  /// Blocks since that was looked at; from the first one on it is known what they take.
  var age = RenderTaskList.interval
  /// What a block takes one thread, and several, in ns, smoothed; 0 until it is known.
  var timeAlone: Float = 0
  var timeShared: Float = 0
  /// Looks for which nothing is shared out, as it was slower.
  var pause = 0
  /// How many it will be the next time: the more often it was slower, the more.
  var caution = 1

  deinit {
    waiting.deinitialize(count: count)
    waiting.deallocate()
    tasks.deallocate()
    costs.deallocate()
    starts.deallocate()
    successors.deallocate()
    roots.deallocate()
  }

  /// Gets ready for a block. [render]
  @_noLocks
  func begin() {
    for task in 0 ..< count {
      waiting[task].store(tasks[task].predecessorCount, ordering: .relaxed)
    }
  }

  /// Renders one task. [render, any thread]
  @_noLocks
  func run(_ index: Int) {
    let task = tasks[index]
    guard block.isTimed else { return block.run(task) }
    let started = crealtime_nanoseconds()
    block.run(task)
    let taken = Float(crealtime_nanoseconds() &- started)
    let known = costs[index]
    // Once in a while a thread is interrupted, which says nothing of the task.
    costs[index] = known == 0 ? taken : known + min(taken - known, known) * 0.25
  }
}

/// What a block is rendered with: plain data.
struct TaskBlock: BitwiseCopyable {
  var steps: UnsafeMutablePointer<crealtime_step>?
  var nodeGuard: UnsafeMutablePointer<NodeGuard>?
  var watch = WatchedNodes()
  var frameCount: UInt32 = 0
  var isTimed = false

  /// Nothing to render with. [any]
  @_noLocks
  init() {}

  /// What a program has, and the block. [render]
  @_noLocks
  init(
    _ steps: UnsafeMutablePointer<crealtime_step>, _ nodeGuard: UnsafeMutablePointer<NodeGuard>?,
    _ watch: WatchedNodes, _ frameCount: UInt32
  ) {
    (self.steps, self.nodeGuard, self.watch) = (steps, nodeGuard, watch)
    self.frameCount = frameCount
  }

  /// Renders one task. [render, any thread]
  @_noLocks
  func run(_ task: RenderTask) {
    guard let steps else { return }
    guard let nodeGuard else {
      return crealtime_run_steps(steps + task.firstStep, steps + task.endStep, frameCount)
    }
    nodeGuard.pointee.run(
      watch, steps, task.firstStep, task.endStep, firstNode: task.firstGuarded, frameCount)
  }
}

extension RenderTaskList {
  /// Blocks between two looks at what is worth it.
  fileprivate static var interval: Int { @_noLocks get { 16 } }
  private static var longestPause: Int { @_noLocks get { 64 } }
  /// What a further thread costs in a block: to be woken, and to be waited for; in ns.
  private static var wakeCost: Float { @_noLocks get { 10_000 } }
  /// What handing a task over costs, in ns.
  private static var taskCost: Float { @_noLocks get { 200 } }

  /// Whether this block is to be timed: all that are shared out, and now and then one that is not. [render]
  @_noLocks
  mutating func isTimed() -> Bool {
    age &+= 1
    return isWorth || age >= Self.interval
  }

  /// Notes what a block took that was timed. [render]
  @_noLocks
  mutating func note(nanoseconds: UInt64) {
    let taken = Float(nanoseconds)
    if isWorth {
      timeShared += timeShared == 0 ? taken : (taken - timeShared) * 0.125
    } else {
      timeAlone += timeAlone == 0 ? taken : (taken - timeAlone) * 0.125
    }
  }

  /// Finds out from what the tasks took whether they are worth several threads, in blocks to come.
  ///
  /// They are if they all together take more than a share of the period, which is 0 where nobody waits, and
  /// would be done so much sooner that it makes up for waking a thread; unless it turns out to be slower all
  /// the same, because others use the processors. [render]
  @_noLocks
  mutating func judge(threadCount: Int, longestAlone: Float) {
    guard age >= Self.interval else { return }
    age = 0
    if pause > 0 {
      pause &-= 1
      return
    }
    if isWorth, timeAlone > 0, timeShared > timeAlone {
      (isWorth, timeShared, timeAlone) = (false, 0, 0)
      pause = caution
      caution = min(Self.longestPause, caution &* 2)
      return
    }
    if isWorth { caution = max(1, caution / 2) }
    var sum: Float = 0
    var longest: Float = 0
    for task in 0 ..< count { starts[task] = 0 }
    for task in 0 ..< count {
      sum += costs[task]
      let end = starts[task] + costs[task]
      longest = max(longest, end)
      for place in 0 ..< tasks[task].successorCount {
        let next = Int(tasks[task].successors[place])
        starts[next] = max(starts[next], end)
      }
    }
    let shared =
      max(longest, sum / Float(min(threadCount, width))) + Self.wakeCost
      + Float(count) * Self.taskCost
    // What is shared out already is left so until it is clearly not worth it.
    let margin: Float = isWorth ? 1 : 1.15
    isWorth = sum > (isWorth ? longestAlone * 0.75 : longestAlone) && sum > shared * margin
  }
}
