// TaskQueue.swift: tasks that are ready, for any thread to take. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules. Tests/RenderGraphTests/TaskModel.swift is a
// step-by-step model of it.

import Synchronization

/// The ready tasks of one block, which any thread may take, without a lock.
///
/// Each task is added once per block, so the queue is an array that is filled and emptied from the
/// front, and no slot is reused within a block. Each slot, and the front index, contains the number
/// of its block. A thread that is late, with data of an earlier block, finds another number and
/// takes nothing. So the next block can begin without waiting for it.
struct TaskQueue: ~Copyable {
  /// The largest number of tasks.
  ///
  /// A render sequence with more is rendered by one thread.
  static var capacity: Int { @_noLocks get { 8_192 } }
  private static var low: UInt64 { @_noLocks get { 0xFFFF_FFFF } }

  /// For each slot, the number of the block, and 1 plus the task in it.
  private let slots: UnsafeMutablePointer<Atomic<UInt64>>
  /// The number of the block, and the slot that is emptied next.
  private let front = Atomic<UInt64>(0)
  /// All slots before this one are filled.
  private let back = Atomic<Int>(0)
  /// The number of the block, in the upper half; the owner changes it while no task is running.
  private let block = Atomic<UInt64>(0)

  /// Creates an empty queue. [main]
  init() {
    slots = .allocate(capacity: Self.capacity)
    for index in 0 ..< Self.capacity { (slots + index).initialize(to: Atomic(0)) }
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Begins a block with the tasks that have no predecessors.
  ///
  /// A thread that takes a task sees everything that was written before. The tasks of the last
  /// block are complete. [render, the owner]
  @_noLocks
  func begin(_ tasks: UnsafePointer<UInt32>, _ count: Int) {
    var block = block.load(ordering: .relaxed) &+ (1 << 32)
    if block == 0 {
      clear()
      block = 1 << 32
    }
    self.block.store(block, ordering: .relaxed)
    for index in 0 ..< count {
      slots[index].store(block | UInt64(tasks[index] &+ 1), ordering: .relaxed)
    }
    back.store(count, ordering: .relaxed)
    // Pairs with the acquiring exchange in `take`, and precedes the check for sleepers.
    front.store(block, ordering: .sequentiallyConsistent)
  }

  /// The block numbers have wrapped, after weeks: clears the slots, so that no old number matches a
  /// new one.
  @_noLocks
  private func clear() {
    for index in 0 ..< Self.capacity { slots[index].store(0, ordering: .relaxed) }
  }

  /// Adds a task; called within a task of the same block. [render, any thread]
  @_noLocks
  func put(_ task: Int) {
    let block = block.load(ordering: .relaxed)
    let entry = block | UInt64(truncatingIfNeeded: task &+ 1)
    var index = back.load(ordering: .relaxed)
    while true {
      let known = slots[index].load(ordering: .relaxed)
      // Pairs with the load in `take`; in one order with `isAsleep` and similar accesses, see
      // `RenderThreadPool`.
      if known & ~Self.low != block,
        slots[index].compareExchange(
          expected: known, desired: entry, ordering: .sequentiallyConsistent
        ).exchanged
      {
        break
      }
      index = index &+ 1
    }
    // Another thread may have advanced it further, which costs the next thread one more load.
    back.store(index &+ 1, ordering: .relaxed)
  }

  /// Takes a task; returns -1 if none is ready. [render, any thread]
  @_noLocks
  func take() -> Int {
    var seen = front.load(ordering: .acquiring)
    while true {
      let index = Int(truncatingIfNeeded: seen & Self.low)
      guard index < Self.capacity else { return -1 }
      let entry = slots[index].load(ordering: .sequentiallyConsistent)
      guard entry & ~Self.low == seen & ~Self.low, entry & Self.low != 0 else { return -1 }
      let (isTaken, now) = front.compareExchange(
        expected: seen, desired: seen &+ 1, ordering: .acquiringAndReleasing)
      if isTaken { return Int(truncatingIfNeeded: entry & Self.low) &- 1 }
      seen = now
    }
  }

  /// Returns whether a task is ready. [render, any thread]
  @_noLocks
  func hasTask() -> Bool {
    let seen = front.load(ordering: .sequentiallyConsistent)
    let index = Int(truncatingIfNeeded: seen & Self.low)
    guard index < Self.capacity else { return false }
    let entry = slots[index].load(ordering: .sequentiallyConsistent)
    return entry & ~Self.low == seen & ~Self.low && entry & Self.low != 0
  }
}
