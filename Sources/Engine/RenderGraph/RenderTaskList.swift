// RenderTaskList.swift: the tasks of a render sequence, for the threads that render it. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. RenderTaskList+Setup.swift creates and
// frees the tasks.

import CRealtime
import Synchronization

/// A task: consecutive steps.
struct RenderTask: BitwiseCopyable {
  let firstStep: Int
  let endStep: Int
  /// The index of its first guarded node.
  let firstGuarded: Int
  let predecessorCount: UInt32
  let successors: UnsafePointer<UInt32>
  let successorCount: Int
}

/// The tasks of a render sequence, in an order that suits a single thread; at a fixed address.
struct RenderTaskList: ~Copyable {
  let tasks: UnsafeMutablePointer<RenderTask>
  let count: Int
  /// The tasks without predecessors.
  let roots: UnsafeMutablePointer<UInt32>
  let rootCount: Int
  /// The number of tasks that may run at the same time.
  let width: Int
  /// For each task, the number of its predecessors that are not complete.
  let waiting: UnsafeMutablePointer<Atomic<UInt32>>
  /// The time of each task, in ns, smoothed; written by the thread that renders it.
  let costs: UnsafeMutablePointer<Float>
  /// The time at which each task could start with unlimited processors, in ns: scratch memory.
  let starts: UnsafeMutablePointer<Float>
  let successors: UnsafeMutablePointer<UInt32>
  /// The data of the current block; set before other threads start.
  var block = TaskBlock()
  /// Whether several threads are faster.
  var isParallelWorthwhile = false
  /// The number of blocks since the last decision.
  ///
  /// The first block is always timed.
  var age = RenderTaskList.interval
  /// The time of a block with one thread, and with several, in ns, smoothed; 0 until it is known.
  var timeAlone: Float = 0
  var timeShared: Float = 0
  /// The number of decisions for which a single thread is used, because several were slower.
  var pause = 0
  /// The next value of `pause`: it grows each time several threads are slower.
  var backoff = 1

  deinit {
    waiting.deinitialize(count: count)
    waiting.deallocate()
    tasks.deallocate()
    costs.deallocate()
    starts.deallocate()
    successors.deallocate()
    roots.deallocate()
  }

  /// Prepares for a block. [render]
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
    // A thread is occasionally interrupted, which must not count as the cost of the task.
    costs[index] = known == 0 ? taken : known + min(taken - known, known) * 0.25
  }
}

/// The data that tasks need to render a block: plain data.
struct TaskBlock: BitwiseCopyable {
  var steps: UnsafeMutablePointer<crealtime_step>?
  var nodeGuard: UnsafeMutablePointer<NodeGuard>?
  var watch = WatchedNodes()
  var frameCount: UInt32 = 0
  var isTimed = false

  /// Creates data without a render sequence. [any]
  @_noLocks
  init() {}

  /// Creates the data of a block. [render]
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
  /// The number of blocks between two decisions.
  fileprivate static var interval: Int { @_noLocks get { 16 } }
  private static var longestPause: Int { @_noLocks get { 64 } }
  /// The cost of a further thread in a block, in ns: to wake it and to wait for it.
  private static var wakeCostNanoseconds: Float { @_noLocks get { 10_000 } }
  /// The cost of passing a task to another thread, in ns.
  private static var taskCost: Float { @_noLocks get { 200 } }

  /// Whether this block is timed: every block with several threads, and occasionally one with a
  /// single thread. [render]
  @_noLocks
  mutating func isTimed() -> Bool {
    age &+= 1
    return isParallelWorthwhile || age >= Self.interval
  }

  /// Records the time of a block. [render]
  @_noLocks
  mutating func record(nanoseconds: UInt64) {
    let taken = Float(nanoseconds)
    if isParallelWorthwhile {
      timeShared += timeShared == 0 ? taken : (taken - timeShared) * 0.125
    } else {
      timeAlone += timeAlone == 0 ? taken : (taken - timeAlone) * 0.125
    }
  }

  /// Decides from the times of the tasks whether the next blocks use several threads.
  ///
  /// They do if all tasks together take longer than `longestAlone`, in ns (0 if no device
  /// waits), and if several threads save more time than it takes to wake them. If they turn out to
  /// be slower, because other programs use the processors, a single thread is used for a while.
  /// [render]
  @_noLocks
  mutating func evaluateParallelism(threadCount: Int, longestAlone: Float) {
    guard age >= Self.interval else { return }
    age = 0
    if pause > 0 {
      pause &-= 1
      return
    }
    if isParallelWorthwhile, timeAlone > 0, timeShared > timeAlone {
      (isParallelWorthwhile, timeShared, timeAlone) = (false, 0, 0)
      pause = backoff
      backoff = min(Self.longestPause, backoff &* 2)
      return
    }
    if isParallelWorthwhile { backoff = max(1, backoff / 2) }
    var sum: Float = 0
    var longest: Float = 0
    for task in 0 ..< count { starts[task] = 0 }
    for task in 0 ..< count {
      sum += costs[task]
      let end = starts[task] + costs[task]
      longest = max(longest, end)
      for index in 0 ..< tasks[task].successorCount {
        let next = Int(tasks[task].successors[index])
        starts[next] = max(starts[next], end)
      }
    }
    let shared =
      max(longest, sum / Float(min(threadCount, width))) + Self.wakeCostNanoseconds
      + Float(count) * Self.taskCost
    // Several threads stay in use until they are clearly slower.
    let margin: Float = isParallelWorthwhile ? 1 : 1.15
    isParallelWorthwhile =
      sum > (isParallelWorthwhile ? longestAlone * 0.75 : longestAlone) && sum > shared * margin
  }
}
