// BufferAssignment.swift: values that never live together share a buffer. SPDX-License-Identifier: MIT

/// Which buffer each value of a plan is kept in.
struct BufferAssignment {
  /// How many buffers are needed.
  private(set) var bufferCount = 0
  /// The buffer of each value that has one.
  private(set) var buffers: [Int: Int] = [:]

  private var free: [Int] = []

  /// Gives each value a buffer at its writing and takes it back after its last reading.
  ///
  /// The buffer freed last is given first, as it is still in the cache. [main]
  init(_ plan: Plan, canRunInPlace: (Int) -> Bool) {
    var lastReading: [Int: Int] = [:]
    for (index, step) in plan.steps.enumerated() {
      for case .value(let value) in step.inputs { lastReading[value] = index }
    }
    for (index, step) in plan.steps.enumerated() {
      let dying = dyingValues(step, at: index, lastReading)
      var reusable: Set<Int> = []
      if case .node(let node) = step.operation, canRunInPlace(node) { reusable = Set(dying) }
      for (channel, place) in step.outputs.enumerated() {
        guard case .value(let value) = place else { continue }
        buffers[value] =
          reuse(step, channel: channel, &reusable) ?? takeBuffer()
      }
      let kept = Set(step.outputs.compactMap { buffer(of: $0) })
      free += dying.compactMap { buffers[$0] }.filter { !kept.contains($0) }
      // A value that nobody reads still had to be written somewhere.
      for case .value(let value) in step.outputs where lastReading[value] == nil {
        if let buffer = buffers[value] { free.append(buffer) }
      }
    }
  }

  private func buffer(of place: Place) -> Int? {
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
  private func reuse(_ step: PlannedStep, channel: Int, _ reusable: inout Set<Int>) -> Int? {
    guard channel < step.inputs.count, case .value(let value) = step.inputs[channel],
      reusable.contains(value),
      step.inputs.filter({ $0 == step.inputs[channel] }).count == 1
    else { return nil }
    reusable.remove(value)
    return buffers[value]
  }

  private mutating func takeBuffer() -> Int {
    if let buffer = free.popLast() { return buffer }
    bufferCount += 1
    return bufferCount - 1
  }
}
