// SharedRenderingTests.swift: random graphs rendered by several threads. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import Testing

@testable import RenderGraph

/// Random numbers that are the same in every run.
private struct Numbers {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  /// Values with many bits, so that sums are rounded, and differ if the order differs.
  mutating func gain() -> Float { Float(next(below: 2_000_003)) / 1_000_001 - 1 }
}

/// A graph with every feature: several channels, sums, latencies, echoes, reused memory, MIDI.
private struct RandomGraph {
  let graph: Graph
  let players: [EventNode]

  init(seed: Int, count: Int) throws {
    var numbers = Numbers(state: UInt64(seed) &* 7_919 &+ 3)
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    var players: [EventNode] = []
    var sources: [Graph.Source] = [.input(channel: 0), .input(channel: 1)]
    var senders: [Graph.EventSource] = [.input]
    for index in 0 ..< count {
      let node = Self.node(&numbers)
      let id = graph.add(node, named: "n\(index)")
      for channel in 0 ..< node.audioInputCount {
        // Mostly recent nodes, so that there are long chains too.
        for _ in 0 ... numbers.next(below: 3) {
          let back = numbers.next(below: 2) == 0 ? 4 : sources.count
          let source = sources[sources.count - 1 - numbers.next(below: min(back, sources.count))]
          let gain = numbers.next(below: 3) == 0 ? 1 : numbers.gain() * 0.5
          try graph.connect(source, to: .node(id, channel: channel), gain: gain)
        }
      }
      guard let player = node as? EventNode else {
        for channel in 0 ..< node.audioOutputCount {
          sources.append(.node(id, channel: channel))
        }
        continue
      }
      // It does not write its output, so no other node may read it.
      players.append(player)
      try graph.connectEvents(senders[numbers.next(below: senders.count)], to: .node(id))
      if numbers.next(below: 2) == 0 { senders.append(.node(id)) }
    }
    for channel in 0 ..< 2 {
      for _ in 0 ..< 5 {
        let source = sources[numbers.next(below: sources.count)]
        try graph.connect(source, to: .output(channel: channel), gain: numbers.gain())
      }
    }
    (self.graph, self.players) = (graph, players)
  }

  private static func node(_ numbers: inout Numbers) -> any Node {
    switch numbers.next(below: 10) {
    case 0: return EchoNode(frames: 1 + numbers.next(below: 400), feedback: 0.5)
    case 1:
      return EventNode(audioInputs: 1, latency: [0, 0, 32][numbers.next(below: 3)])
    default:
      return SumNode(
        inputs: 1 + numbers.next(below: 2), outputs: 1 + numbers.next(below: 2),
        gain: numbers.gain(), latency: [0, 0, 0, 0, 0, 0, 0, 0, 5, 40][numbers.next(below: 10)],
        inPlace: numbers.next(below: 2) == 0)
    }
  }
}

@Suite struct SharedRenderingTests {
  private static let blockFrames = 48
  private static let blockCount = 40

  /// The output, and the input of the players.
  private struct Result: Equatable {
    var samples: [UInt32] = []
    var arrivals: [[EventNode.Arrival]] = []
  }

  private func render(
    seed: Int, count: Int, threads: Int, guardsNodes: Bool
  ) throws -> (result: Result, sharedBlocks: UInt64, tasks: Int) {
    let made = try RandomGraph(seed: seed, count: count)
    var use = ThreadPolicy(count: threads)
    use.isForced = true
    let engine = Engine(
      Engine.Settings(
        inputChannelCount: 2, outputChannelCount: 2, maximumFrameCount: Self.blockFrames,
        sampleRateHz: 48_000, startsFadedOut: false, guardsNodes: guardsNodes, threads: use))
    let compiled = try GraphCompiler.compile(made.graph, for: engine)
    engine.install(compiled)
    engine.schedule(
      (0 ..< 60).map { ScheduledEvent(frame: UInt64($0 * 17), bytes: [0x90, UInt8($0), 100]) })
    var result = Result()
    var noise = Numbers(state: 5)
    for _ in 0 ..< Self.blockCount {
      for channel in 0 ..< 2 {
        for frame in 0 ..< Self.blockFrames {
          engine.pointer.pointee.inputs[channel][frame] = noise.gain()
        }
      }
      renderBlock(engine.pointer, Self.blockFrames)
      for channel in 0 ..< 2 {
        for frame in 0 ..< Self.blockFrames {
          result.samples.append(engine.pointer.pointee.outputs[channel][frame].bitPattern)
        }
      }
    }
    result.arrivals = made.players.map(\.arrivals)
    return (result, engine.sharedBlockCount, compiled.taskCount)
  }

  @Test(arguments: [(1, 3), (2, 10), (3, 40), (4, 90), (5, 200), (6, 200), (7, 120), (8, 25)])
  func `two and four threads render the same bits as one`(seed: Int, count: Int) throws {
    for guardsNodes in [false, true] {
      let alone = try render(seed: seed, count: count, threads: 1, guardsNodes: guardsNodes)
      #expect(alone.sharedBlocks == 0)
      #expect(alone.result.samples.contains { Float(bitPattern: $0) != 0 })
      for threads in [2, 4] {
        let shared = try render(
          seed: seed, count: count, threads: threads, guardsNodes: guardsNodes)
        let isSame = shared.result == alone.result
        #expect(isSame)
        #expect(shared.sharedBlocks == (shared.tasks > 1 ? UInt64(Self.blockCount) : 0))
      }
    }
  }

  @Test(arguments: 0 ..< 40)
  func `tasks that may run in parallel share no written memory`(seed: Int) throws {
    let graph = try RandomGraph(seed: seed, count: 4 + seed * 3).graph
    var plan = StepPlan(graph, try GraphOrder(graph))
    guard let tasks = TaskPlan(plan, nodeCount: graph.vertices.count) else { return }
    plan.arrange(tasks.order)
    #expect(tasks.order.sorted() == Array(plan.steps.indices))
    let assignment = BufferAssignment(plan, tasks) { graph.vertices[$0].node.canRunInPlace }
    func buffers(_ places: [BufferLocation]) -> Set<Int> {
      Set(
        places.compactMap { place in
          guard case .value(let value) = place else { return nil }
          return assignment.buffers[value]
        })
    }
    for (index, task) in tasks.tasks.enumerated() {
      for (otherIndex, other) in tasks.tasks.enumerated().dropFirst(index + 1)
      where !tasks.completes(index, before: otherIndex) {
        let writes = buffers(plan.steps[task.steps].flatMap(\.outputs))
        let reads = buffers(plan.steps[task.steps].flatMap(\.inputs))
        let otherWrites = buffers(plan.steps[other.steps].flatMap(\.outputs))
        let otherReads = buffers(plan.steps[other.steps].flatMap(\.inputs))
        #expect(writes.isDisjoint(with: otherWrites.union(otherReads)))
        #expect(otherWrites.isDisjoint(with: reads))
      }
    }
  }

  @Test func `a plain chain is one task, and starts no thread`() throws {
    var graph = Graph(inputChannelCount: 2, outputChannelCount: 2)
    var sources: [Graph.Source] = [.input(channel: 0), .input(channel: 1)]
    for index in 0 ..< 5 {
      let id = graph.add(SumNode(inputs: 2, outputs: 2, latency: 3), named: "n\(index)")
      for channel in 0 ..< 2 {
        try graph.connect(sources[channel], to: .node(id, channel: channel), gain: 0.5)
      }
      sources = [.node(id, channel: 0), .node(id, channel: 1)]
    }
    for channel in 0 ..< 2 {
      try graph.connect(sources[channel], to: .output(channel: channel), gain: 0.5)
      try graph.connect(.input(channel: channel), to: .output(channel: channel), gain: 0.5)
    }
    #expect(TaskPlan(StepPlan(graph, try GraphOrder(graph)), nodeCount: 5) == nil)
  }

  @Test func `two branches between a common start and end are two more tasks`() throws {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    func add(_ name: String) -> Graph.NodeID {
      graph.add(SumNode(inputs: 1, outputs: 1), named: name)
    }
    let (first, last) = (add("first"), add("last"))
    try graph.connect(.input(channel: 0), to: .node(first, channel: 0))
    for branch in 0 ..< 2 {
      let (one, two) = (add("one\(branch)"), add("two\(branch)"))
      try graph.connect(.node(first, channel: 0), to: .node(one, channel: 0), gain: 0.5)
      try graph.connect(.node(one, channel: 0), to: .node(two, channel: 0), gain: 0.5)
      try graph.connect(.node(two, channel: 0), to: .node(last, channel: 0), gain: 0.5)
    }
    try graph.connect(.node(last, channel: 0), to: .output(channel: 0))
    let plan = try #require(TaskPlan(StepPlan(graph, try GraphOrder(graph)), nodeCount: 6))
    #expect(plan.tasks.map(\.predecessorCount) == [0, 1, 1, 2])
    #expect(plan.width == 2)
  }

  /// Tasks of two branches that take the given times in ns, and the decision after a while.
  private func judge(
    _ costs: [Float], longestAlone: Float, wasWorth: Bool = false, took: UInt64? = nil
  ) throws -> Bool {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 2)
    for branch in 0 ..< 2 {
      let id = graph.add(SumNode(inputs: 1, outputs: 1), named: "n\(branch)")
      try graph.connect(.input(channel: 0), to: .node(id, channel: 0))
      try graph.connect(.node(id, channel: 0), to: .output(channel: branch))
    }
    let plan = try #require(TaskPlan(StepPlan(graph, try GraphOrder(graph)), nodeCount: 2))
    var tasks = RenderTaskList(plan, guardedSteps: [])
    try #require(tasks.count == costs.count)
    for (index, cost) in costs.enumerated() { tasks.costs[index] = cost }
    if let took {
      tasks.record(nanoseconds: UInt64(costs.reduce(0, +)))
      tasks.isParallelWorthwhile = true
      tasks.record(nanoseconds: took)
    }
    tasks.isParallelWorthwhile = wasWorth
    while !tasks.isTimed() || tasks.age < 16 {}
    tasks.evaluateParallelism(threadCount: 2, longestAlone: longestAlone)
    return tasks.isParallelWorthwhile
  }

  @Test func `work is shared if the saved time is needed`() throws {
    // It saves half of the time, of a period that would be used by half.
    #expect(try judge([500_000, 500_000], longestAlone: 400_000))
    // A rendering to a file always benefits, but only if the gain exceeds the cost of waking a thread.
    #expect(try judge([50_000, 50_000], longestAlone: 0))
    #expect(try !judge([8_000, 8_000], longestAlone: 0))
    // One thread is fast enough.
    #expect(try !judge([100_000, 100_000], longestAlone: 400_000))
    // There is only one branch.
    #expect(try !judge([1_000_000, 5_000], longestAlone: 0))
    // Other threads use the processors, so that it takes longer than before.
    #expect(try judge([500_000, 500_000], longestAlone: 0, wasWorth: true, took: 600_000))
    #expect(try !judge([500_000, 500_000], longestAlone: 0, wasWorth: true, took: 1_200_000))
    // Near the threshold the decision does not change.
    #expect(try judge([180_000, 180_000], longestAlone: 400_000, wasWorth: true))
    #expect(try !judge([180_000, 180_000], longestAlone: 400_000, wasWorth: false))
  }
}
