// BufferAssignment.swift: lets values share buffers if their lifetimes do not overlap.
// SPDX-License-Identifier: MIT

/// The buffer in which each value of a plan is kept.
struct BufferAssignment {
  /// The number of buffers that are needed.
  private(set) var bufferCount = 0
  /// The buffer of each value that has one.
  private(set) var buffers: [Int: Int] = [:]

  private var free: [Int] = []
  /// The tasks that may be rendered in parallel; nil if there is only one.
  private let tasks: TaskPlan?
  /// The tasks that use the content of each buffer.
  private var users: [[Int]] = []
  /// How many free buffers are examined for one that no parallel task uses.
  private static let candidateLimit = 16

  /// Assigns a buffer to each value when it is written, and releases the buffer after its last
  /// reader.
  ///
  /// The buffer that was released last is assigned first, because it is still in the cache. With
  /// parallel tasks, a task takes a buffer only if it starts after all tasks that used the buffer
  /// before. [main]
  init(_ plan: StepPlan, _ tasks: TaskPlan? = nil, canRunInPlace: (Int) -> Bool) {
    self.tasks = tasks
    var lastReading: [Int: Int] = [:]
    for (index, step) in plan.steps.enumerated() {
      for case .value(let value) in step.inputs { lastReading[value] = index }
    }
    for (index, step) in plan.steps.enumerated() {
      let task = tasks?.task(ofStep: index) ?? 0
      for location in step.inputs {
        if let buffer = buffer(of: location) { users[buffer].append(task) }
      }
      let lastUsedValues = lastUses(step, at: index, lastReading)
      var reusable: Set<Int> = []
      if case .node(let node) = step.operation, canRunInPlace(node) {
        reusable = Set(lastUsedValues)
      }
      for (channel, location) in step.outputs.enumerated() {
        guard case .value(let value) = location else { continue }
        let buffer =
          reuseInputBuffer(step, channel: channel, &reusable, for: task) ?? takeBuffer(for: task)
        buffers[value] = buffer
        users[buffer] = [task]
      }
      let outputBuffers = Set(step.outputs.compactMap { buffer(of: $0) })
      free += lastUsedValues.compactMap { buffers[$0] }.filter { !outputBuffers.contains($0) }
      // A value without readers still needs a buffer to be written to.
      for case .value(let value) in step.outputs where lastReading[value] == nil {
        if let buffer = buffers[value] { free.append(buffer) }
      }
    }
  }

  private func buffer(of location: BufferLocation) -> Int? {
    guard case .value(let value) = location else { return nil }
    return buffers[value]
  }

  private func lastUses(_ step: PlannedStep, at index: Int, _ lastReading: [Int: Int]) -> [Int] {
    var seen: Set<Int> = []
    var lastUsedValues: [Int] = []
    for case .value(let value) in step.inputs
    where lastReading[value] == index && seen.insert(value).inserted {
      lastUsedValues.append(value)
    }
    return lastUsedValues
  }

  /// Returns the buffer of the input with the same number, if this is its last reader and no other
  /// input uses it.
  private func reuseInputBuffer(
    _ step: PlannedStep, channel: Int, _ reusable: inout Set<Int>, for task: Int
  ) -> Int? {
    guard channel < step.inputs.count, case .value(let value) = step.inputs[channel],
      reusable.contains(value),
      step.inputs.filter({ $0 == step.inputs[channel] }).count == 1,
      let buffer = buffers[value], isFree(buffer, for: task)
    else { return nil }
    reusable.remove(value)
    return buffer
  }

  private mutating func takeBuffer(for task: Int) -> Int {
    let candidates = free.indices.suffix(Self.candidateLimit)
    if let location = candidates.last(where: { isFree(free[$0], for: task) }) {
      return free.remove(at: location)
    }
    bufferCount += 1
    users.append([])
    return bufferCount - 1
  }

  /// Returns whether all users of a buffer are complete when a task begins, except for the task
  /// itself.
  private func isFree(_ buffer: Int, for task: Int) -> Bool {
    guard let tasks else { return true }
    return users[buffer].allSatisfy { tasks.completes($0, before: task) }
  }
}
