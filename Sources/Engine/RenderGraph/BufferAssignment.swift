// BufferAssignment.swift: values that never live together share a buffer. SPDX-License-Identifier: MIT

/// Which buffer each value of a plan is kept in.
struct BufferAssignment {
  /// How many buffers are needed.
  private(set) var bufferCount = 0
  /// The buffer of each value that has one.
  private(set) var buffers: [Int: Int] = [:]

  private var free: [Int] = []
  /// What may be rendered at the same time; nil for nothing.
  private let tasks: TaskPlan?
  /// The tasks that use what is in each buffer now.
  private var users: [[Int]] = []
  /// So many free buffers are looked at for one that is really free.
  private static let patience = 16

  /// Gives each value a buffer at its writing and takes it back after its last reading.
  ///
  /// The buffer freed last is given first, as it is still in the cache. Where tasks may be rendered at the
  /// same time, a buffer goes only to one that begins after all that used the buffer before. [main]
  init(_ plan: StepPlan, _ tasks: TaskPlan? = nil, canRunInPlace: (Int) -> Bool) {
    self.tasks = tasks
    var lastReading: [Int: Int] = [:]
    for (index, step) in plan.steps.enumerated() {
      for case .value(let value) in step.inputs { lastReading[value] = index }
    }
    for (index, step) in plan.steps.enumerated() {
      let task = tasks?.task(ofPlace: index) ?? 0
      for place in step.inputs {
        if let buffer = buffer(of: place) { users[buffer].append(task) }
      }
      let dying = dyingValues(step, at: index, lastReading)
      var reusable: Set<Int> = []
      if case .node(let node) = step.operation, canRunInPlace(node) { reusable = Set(dying) }
      for (channel, place) in step.outputs.enumerated() {
        guard case .value(let value) = place else { continue }
        let buffer = reuse(step, channel: channel, &reusable, for: task) ?? takeBuffer(for: task)
        buffers[value] = buffer
        users[buffer] = [task]
      }
      let kept = Set(step.outputs.compactMap { buffer(of: $0) })
      free += dying.compactMap { buffers[$0] }.filter { !kept.contains($0) }
      // A value that nobody reads still had to be written somewhere.
      for case .value(let value) in step.outputs where lastReading[value] == nil {
        if let buffer = buffers[value] { free.append(buffer) }
      }
    }
  }

  private func buffer(of place: BufferLocation) -> Int? {
    guard case .value(let value) = place else { return nil }
    return buffers[value]
  }

  private func dyingValues(_ step: PlannedStep, at index: Int, _ lastReading: [Int: Int]) -> [Int] {
    var seen: Set<Int> = []
    var dying: [Int] = []
    for case .value(let value) in step.inputs
    where lastReading[value] == index && seen.insert(value).inserted {
      dying.append(value)
    }
    return dying
  }

  /// The buffer of the input of the same number, if it dies here and serves no other input.
  private func reuse(
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
    let candidates = free.indices.suffix(Self.patience)
    if let place = candidates.last(where: { isFree(free[$0], for: task) }) {
      return free.remove(at: place)
    }
    bufferCount += 1
    users.append([])
    return bufferCount - 1
  }

  /// Whether all that use a buffer are over when a task begins, but for the task itself.
  private func isFree(_ buffer: Int, for task: Int) -> Bool {
    guard let tasks else { return true }
    return users[buffer].allSatisfy { tasks.isOver($0, before: task) }
  }
}
