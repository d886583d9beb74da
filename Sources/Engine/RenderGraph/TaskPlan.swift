// TaskPlan.swift: which parts of a plan may be rendered at the same time. SPDX-License-Identifier: MIT

/// The steps of a plan gathered into tasks: what depends on nothing but the step before it is one task with
/// it, so that only what may really be rendered side by side is handed from thread to thread.
///
/// A step depends on those that write what it reads, and on those that use what it changes: values, delay
/// lines, the MIDI of a node. Buffers make no further dependencies: `BufferAssignment` sees to that.
struct TaskPlan {
  /// A number of steps that are rendered one after the other by one thread.
  struct Task {
    /// Which of the steps, in the order of `order`.
    var steps: Range<Int>
    /// Tasks that wait for it.
    var successors: [Int] = []
    /// How many tasks it waits for.
    var predecessorCount = 0
  }

  /// In an order in which they can be rendered by one thread.
  private(set) var tasks: [Task] = []
  /// The steps of the plan, task by task.
  private(set) var order: [Int] = []
  /// How many tasks may be at work at once, roughly.
  private(set) var width = 1
  private var taskOfPlace: [Int] = []
  private var ancestors: [BitSet] = []

  /// Gathers the steps of a plan; nil where there is but one task. [main]
  init?(_ plan: StepPlan, nodeCount: Int) {
    let steps = plan.steps
    guard steps.count > 1 else { return nil }
    let predecessors = StepDependencies.predecessors(plan, nodeCount: nodeCount)
    var clumps = StepClusters(steps, predecessors)
    guard clumps.count > 1 else { return nil }
    let chains = clumps.chains()
    guard chains.count > 1 else { return nil }
    var taskOfClump: [Int] = Array(repeating: 0, count: clumps.count)
    for (task, chain) in chains.enumerated() {
      let start = order.count
      for clump in chain {
        taskOfClump[clump] = task
        order += clumps.members[clump]
      }
      tasks.append(Task(steps: start ..< order.count))
      taskOfPlace += Array(repeating: task, count: order.count - start)
    }
    for (task, chain) in chains.enumerated() {
      let heads = Set(clumps.predecessors[chain[0]].map { taskOfClump[$0] })
      tasks[task].predecessorCount = heads.count
      for head in heads.sorted() { tasks[head].successors.append(task) }
    }
    measure()
  }

  /// Finds the ancestors of each task, and how many stand beside each other.
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

  /// The task of a step, by its place in `order`.
  func task(ofPlace place: Int) -> Int { taskOfPlace[place] }

  /// Whether a task is over, in any case, before another one begins, or is the same.
  func isOver(_ task: Int, before other: Int) -> Bool {
    task == other || ancestors[other].contains(task)
  }
}

/// A set of small numbers.
struct BitSet {
  private var words: [UInt64]

  init(_ count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

  mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }
  func contains(_ number: Int) -> Bool { words[number / 64] & (1 << UInt64(number % 64)) != 0 }
  mutating func formUnion(_ other: BitSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }
}
