// TaskQueue.swift: tasks that are ready, for any thread to take. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift. Tests/RenderGraphTests/TaskModel.swift is a model of it, step by step.

import Synchronization

/// The ready tasks of one block, handed to whoever comes first, without a lock.
///
/// Every task is put in once in a block, so that a row of places, filled from the front and emptied from the
/// front, never has to be used again; it is as long as there are tasks. Each place, and where the front is,
/// carries the number of its block: a thread that comes late, with what it saw in a block that is over, finds
/// another number and takes nothing. So nobody waits for it before the next block begins.
struct TaskQueue: ~Copyable {
  /// More tasks than that are rendered by one thread.
  static var capacity: Int { @_noLocks get { 8_192 } }
  private static var low: UInt64 { @_noLocks get { 0xFFFF_FFFF } }

  /// For each place the number of the block, and the task that was put there plus 1.
  private let places: UnsafeMutablePointer<Atomic<UInt64>>
  /// The number of the block, and the place that is emptied next.
  private let front = Atomic<UInt64>(0)
  /// All places before this one are filled.
  private let back = Atomic<Int>(0)
  /// The number of the block, in the upper half: changed by the owner, while no task is at work.
  private let block = Atomic<UInt64>(0)

  /// An empty queue. [main]
  init() {
    places = .allocate(capacity: Self.capacity)
    for place in 0 ..< Self.capacity { (places + place).initialize(to: Atomic(0)) }
  }

  deinit {
    places.deinitialize(count: Self.capacity)
    places.deallocate()
  }

  /// Begins a block with those tasks that wait for nothing.
  ///
  /// All that was written before is seen by who takes one. The last block's tasks are over. [render, the owner]
  @_noLocks
  func begin(_ tasks: UnsafePointer<UInt32>, _ count: Int) {
    var block = block.load(ordering: .relaxed) &+ (1 << 32)
    if block == 0 {
      forgetAll()
      block = 1 << 32
    }
    self.block.store(block, ordering: .relaxed)
    for place in 0 ..< count {
      places[place].store(block | UInt64(tasks[place] &+ 1), ordering: .relaxed)
    }
    back.store(count, ordering: .relaxed)
    // Pairs with the acquiring exchange in `take`, and comes before the look at who sleeps.
    front.store(block, ordering: .sequentiallyConsistent)
  }

  /// The numbers have come round, after weeks: none must be left that could be taken for a new one.
  @_noLocks
  private func forgetAll() {
    for place in 0 ..< Self.capacity { places[place].store(0, ordering: .relaxed) }
  }

  /// Puts a task in; to be called within a task of the same block. [render, any thread]
  @_noLocks
  func put(_ task: Int) {
    let block = block.load(ordering: .relaxed)
    let entry = block | UInt64(truncatingIfNeeded: task &+ 1)
    var place = back.load(ordering: .relaxed)
    while true {
      let known = places[place].load(ordering: .relaxed)
      // Pairs with the load in `take`; in one order with `isAsleep` and the like, see `RenderThreadPool`.
      if known & ~Self.low != block,
        places[place].compareExchange(
          expected: known, desired: entry, ordering: .sequentiallyConsistent
        ).exchanged
      {
        break
      }
      place = place &+ 1
    }
    // Another thread may have put it further already, which costs the next one a look.
    back.store(place &+ 1, ordering: .relaxed)
  }

  /// Takes a task, or -1 if none is ready. [render, any thread]
  @_noLocks
  func take() -> Int {
    var seen = front.load(ordering: .acquiring)
    while true {
      let place = Int(truncatingIfNeeded: seen & Self.low)
      guard place < Self.capacity else { return -1 }
      let entry = places[place].load(ordering: .sequentiallyConsistent)
      guard entry & ~Self.low == seen & ~Self.low, entry & Self.low != 0 else { return -1 }
      let (isTaken, now) = front.compareExchange(
        expected: seen, desired: seen &+ 1, ordering: .acquiringAndReleasing)
      if isTaken { return Int(truncatingIfNeeded: entry & Self.low) &- 1 }
      seen = now
    }
  }

  /// Whether a task is ready. [render, any thread]
  @_noLocks
  func hasTask() -> Bool {
    let seen = front.load(ordering: .sequentiallyConsistent)
    let place = Int(truncatingIfNeeded: seen & Self.low)
    guard place < Self.capacity else { return false }
    let entry = places[place].load(ordering: .sequentiallyConsistent)
    return entry & ~Self.low == seen & ~Self.low && entry & Self.low != 0
  }
}
