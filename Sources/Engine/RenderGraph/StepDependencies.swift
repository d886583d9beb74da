// StepDependencies.swift: finds the dependencies between the steps of a plan.
// SPDX-License-Identifier: MIT

/// Tracks the data that the steps of a plan read and change.
enum StepDependencies {
  /// Returns for each step the earlier steps that must be complete before it begins. [main]
  static func predecessors(_ plan: StepPlan, nodeCount: Int) -> [[Int]] {
    var resources = ResourceTable(plan, nodeCount: nodeCount)
    return plan.steps.enumerated().map { index, step in
      var needed: Set<Int> = []
      for location in step.inputs { resources.read(location, by: index, &needed) }
      resources.use(step.operation, by: index, &needed)
      for location in step.outputs { resources.write(location, by: index, &needed) }
      return needed.sorted()
    }
  }

  /// The resources that steps share, by number, each with the steps that used it last.
  private struct ResourceTable {
    private struct Accesses {
      var writer: Int?
      var readers: [Int] = []
    }

    private var users: [Accesses]
    private let valueCount: Int
    private var numbers: [Resource: Int] = [:]

    /// A shared resource that is neither a value nor a node.
    private enum Resource: Hashable {
      case output(Int)
      case delay(Graph.Source, Int)
      case eventDelay(EventTerm)
      case eventOutput
    }

    init(_ plan: StepPlan, nodeCount: Int) {
      valueCount = plan.valueCount
      users = Array(repeating: Accesses(), count: plan.valueCount + nodeCount)
    }

    mutating func read(_ location: BufferLocation, by step: Int, _ needed: inout Set<Int>) {
      if let number = number(of: location) { read(number, by: step, &needed) }
    }

    mutating func write(_ location: BufferLocation, by step: Int, _ needed: inout Set<Int>) {
      if let number = number(of: location) { write(number, by: step, &needed) }
    }

    /// Records what an operation uses in addition to its inputs and outputs.
    mutating func use(_ operation: Operation, by step: Int, _ needed: inout Set<Int>) {
      switch operation {
      case .mix, .fade, .watchTail: return
      case .node(let node): write(valueCount + node, by: step, &needed)
      case .delay(let source, let frames):
        write(number(.delay(source, frames)), by: step, &needed)
      case .delayEvents(let term):
        read(term.source, by: step, &needed)
        write(number(.eventDelay(term)), by: step, &needed)
      case .deliverEvents(let terms, let sink):
        for term in terms {
          if term.delayFrames > 0 {
            read(number(.eventDelay(term)), by: step, &needed)
          } else {
            read(term.source, by: step, &needed)
          }
        }
        write(sink, by: step, &needed)
      case .endNotes(let sink): write(sink, by: step, &needed)
      }
    }

    /// The engine's MIDI input does not change within a block.
    private mutating func read(
      _ source: Graph.EventSource, by step: Int, _ needed: inout Set<Int>
    ) {
      if case .node(let id) = source { read(valueCount + id.index, by: step, &needed) }
    }

    private mutating func write(
      _ sink: Graph.EventSink, by step: Int, _ needed: inout Set<Int>
    ) {
      guard case .node(let id) = sink else {
        return write(number(.eventOutput), by: step, &needed)
      }
      write(valueCount + id.index, by: step, &needed)
    }

    private mutating func read(_ number: Int, by step: Int, _ needed: inout Set<Int>) {
      if let writer = users[number].writer, writer != step { needed.insert(writer) }
      users[number].readers.append(step)
    }

    private mutating func write(_ number: Int, by step: Int, _ needed: inout Set<Int>) {
      if let writer = users[number].writer { needed.insert(writer) }
      needed.formUnion(users[number].readers)
      needed.remove(step)
      users[number] = Accesses(writer: step)
    }

    /// Returns the number of a location, or nil if no step writes it.
    private mutating func number(of location: BufferLocation) -> Int? {
      switch location {
      case .input, .silence, .unconnected: nil
      case .output(let channel): number(.output(channel))
      case .value(let value): value
      }
    }

    private mutating func number(_ resource: Resource) -> Int {
      if let known = numbers[resource] { return known }
      numbers[resource] = users.count
      users.append(Accesses())
      return users.count - 1
    }
  }
}
