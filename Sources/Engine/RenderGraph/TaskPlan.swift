// TaskPlan.swift: the parts of a plan that may be rendered in parallel. SPDX-License-Identifier:
// MIT

/// The steps of a plan, grouped into tasks.
///
/// Steps that depend only on their predecessor join its task, so that only parts that can really
/// run in parallel move between threads.
///
/// A step depends on the steps that write what it reads, and on those that use what it changes:
/// values, delay lines, the MIDI of a node. Shared buffers add no dependencies: `BufferAssignment`
/// prevents that.
struct TaskPlan {
  /// Steps that one thread renders one after another.
  struct Task {
    /// The steps, as indices into `order`.
    var steps: Range<Int>
    /// The tasks that wait for it.
    var successors: [Int] = []
    /// The number of tasks that it waits for.
    var predecessorCount = 0
  }

  /// The tasks, in an order in which one thread can render them.
  private(set) var tasks: [Task] = []
  /// The steps of the plan, task by task.
  private(set) var order: [Int] = []
  /// The approximate number of tasks that may run at the same time.
  private(set) var width = 1
  private var taskOfStep: [Int] = []
  private var ancestors: [BitSet] = []

  /// Groups the steps of a plan; returns nil if there is only one task. [main]
  init?(_ plan: StepPlan, nodeCount: Int) {
    let steps = plan.steps
    guard steps.count > 1 else { return nil }
    let predecessors = StepDependencies.predecessors(plan, nodeCount: nodeCount)
    var clusters = StepClusters(steps, predecessors)
    guard clusters.count > 1 else { return nil }
    let chains = clusters.chains()
    guard chains.count > 1 else { return nil }
    var taskOfCluster: [Int] = Array(repeating: 0, count: clusters.count)
    for (task, chain) in chains.enumerated() {
      let start = order.count
      for cluster in chain {
        taskOfCluster[cluster] = task
        order += clusters.members[cluster]
      }
      tasks.append(Task(steps: start ..< order.count))
      taskOfStep += Array(repeating: task, count: order.count - start)
    }
    for (task, chain) in chains.enumerated() {
      let heads = Set(clusters.predecessors[chain[0]].map { taskOfCluster[$0] })
      tasks[task].predecessorCount = heads.count
      for head in heads.sorted() { tasks[head].successors.append(task) }
    }
    measure()
  }

  /// Finds the ancestors of each task, and the number of tasks that may run at the same time.
  private mutating func measure() {
    ancestors = Array(repeating: BitSet(tasks.count), count: tasks.count)
    var levels = Array(repeating: 0, count: tasks.count)
    var counts: [Int: Int] = [:]
    for task in tasks.indices {
      counts[levels[task], default: 0] += 1
      for successor in tasks[task].successors {
        levels[successor] = max(levels[successor], levels[task] + 1)
        ancestors[successor].insert(task)
        ancestors[successor].formUnion(ancestors[task])
      }
    }
    width = counts.values.max() ?? 1
  }

  /// Returns the task of a step, given the step's index in `order`.
  func task(ofStep index: Int) -> Int { taskOfStep[index] }

  /// Returns whether a task is always complete before another one begins, or is the same.
  func completes(_ task: Int, before other: Int) -> Bool {
    task == other || ancestors[other].contains(task)
  }
}

/// A set of small integers.
struct BitSet {
  private var words: [UInt64]

  init(_ count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }
  func contains(_ number: Int) -> Bool { words[number / 64] & (1 << UInt64(number % 64)) != 0 }
  mutating func formUnion(_ other: BitSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }
}
