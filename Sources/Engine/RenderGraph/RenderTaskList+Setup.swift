// RenderTaskList+Setup.swift: creates and frees the tasks of a render sequence. SPDX-License-Identifier: MIT

import Synchronization

extension RenderTaskList {
  /// Creates the tasks of a plan; `guardedSteps` are the indices of the guarded steps, in order.
  /// [main]
  init(_ plan: TaskPlan, guardedSteps: [Int]) {
    count = plan.tasks.count
    width = plan.width
    tasks = .allocate(capacity: count)
    waiting = .allocate(capacity: count)
    costs = .allocate(capacity: count)
    costs.initialize(repeating: 0, count: count)
    starts = .allocate(capacity: count)
    starts.initialize(repeating: 0, count: count)
    let followers = plan.tasks.flatMap { $0.successors.map(UInt32.init) }
    successors = .allocate(capacity: max(1, followers.count))
    successors.initialize(repeating: 0, count: max(1, followers.count))
    for (position, follower) in followers.enumerated() { successors[position] = follower }
    let first = plan.tasks.indices.filter { plan.tasks[$0].predecessorCount == 0 }
    rootCount = first.count
    roots = .allocate(capacity: count)
    roots.initialize(repeating: 0, count: count)
    for (position, task) in first.enumerated() { roots[position] = UInt32(task) }
    var next = UnsafePointer(successors)
    var guarded = 0
    for (index, task) in plan.tasks.enumerated() {
      while guarded < guardedSteps.count, guardedSteps[guarded] < task.steps.lowerBound {
        guarded += 1
      }
      (tasks + index).initialize(
        to: RenderTask(
          firstStep: task.steps.lowerBound, endStep: task.steps.upperBound, firstGuarded: guarded,
          predecessorCount: UInt32(task.predecessorCount), successors: next,
          successorCount: task.successors.count))
      (waiting + index).initialize(to: Atomic(0))
      next += task.successors.count
    }
  }
}
