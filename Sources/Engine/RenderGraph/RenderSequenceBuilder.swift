// RenderSequenceBuilder.swift: lays a render sequence out in memory. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RealtimeKit

/// Assigns memory to the steps of a plan.
struct RenderSequenceBuilder {
  let graph: Graph
  private let engine: Engine
  let assignment: BufferAssignment
  private let channelStrideFrames: Int
  private let memory: RenderArena
  private let program: UnsafeMutablePointer<RenderSequence>
  private let steps: UnsafeMutablePointer<crealtime_step>
  private let preboundSteps: UnsafeMutablePointer<crealtime_step>
  private let channelMemory: UnsafeMutablePointer<Float>
  private let silence: UnsafeMutablePointer<Float>
  private var count = 0
  private var beginningCount = 0
  private var listing: [String] = []
  /// The state that is taken over from the previous render sequence.
  private let known: RetainedState
  var parts = RenderSequenceParts()
  /// The nodes that are bypassed because of a fault.
  private let faulty: Set<ObjectIdentifier>
  /// The nodes that one of them renders together.
  private let followers: [Int: [ChainFollower]]

  init(
    _ draft: GraphCompiler.Draft, _ plan: StepPlan, _ assignment: BufferAssignment,
    _ engine: Engine,
    _ tasks: TaskPlan?
  ) {
    graph = draft.graph
    known = draft.carried
    self.engine = engine
    self.assignment = assignment
    // An additional cache line prevents the buffers from competing for the same cache set.
    channelStrideFrames = (engine.settings.maximumFrameCount + 15) / 16 * 16 + 16
    let rowCount = assignment.bufferCount + 1
    let floatSize = MemoryLayout<Float>.stride
    let stepBytes = plan.steps.count * MemoryLayout<crealtime_step>.stride
    let laneSteps = [
      MemoryLayout<RenderSequence>.stride, stepBytes, stepBytes,
      rowCount * channelStrideFrames * floatSize,
    ]
    memory = RenderArena(pieces: laneSteps + plan.steps.flatMap(Self.pieces))
    parts.progress = Self.progress(draft, plan, engine)
    parts.carried.automations = graph.automations
    faulty = draft.faulty
    followers = ChainPlan(plan, draft.graph, without: draft.faulty).followers
    program = memory.take(1, of: RenderSequence.self)
    steps = memory.take(plan.steps.count, of: crealtime_step.self)
    preboundSteps = memory.take(plan.steps.count, of: crealtime_step.self)
    channelMemory = memory.take(rowCount * channelStrideFrames, of: Float.self)
    silence = channelMemory + assignment.bufferCount * channelStrideFrames
    if engine.settings.guardsNodes { guardNodes(plan) }
    if let tasks, tasks.tasks.count <= TaskQueue.capacity { share(tasks, plan) }
  }

  /// Returns the sizes of a step's memory, in bytes, in the order of allocation.
  private static func pieces(_ step: PlannedStep) -> [Int] {
    let table =
      (step.inputs.count + step.outputs.count) * MemoryLayout<UnsafeMutablePointer<Float>>.stride
    switch step.operation {
    case .node: return [table]
    case .mix(let gains):
      return [table, MemoryLayout<MixState>.stride, gains.count * MemoryLayout<Float>.stride]
    case .fade(let gains, _, _):
      let floats = gains.count * MemoryLayout<Float>.stride
      return [table, MemoryLayout<FadeState>.stride, floats, floats]
    case .delay, .delayEvents, .watchTail: return [table]
    case .endNotes: return [table, MemoryLayout<AllNotesOffState>.stride]
    case .deliverEvents(let terms, _):
      return [
        table, MemoryLayout<EventDeliveryState>.stride,
        terms.count * MemoryLayout<UnsafeMutablePointer<EventQueue>>.stride,
        terms.count * MemoryLayout<Int>.stride,
      ]
    }
  }

  static func key(
    of source: Graph.Source, _ frames: Int, in graph: Graph
  ) -> DelayLine.Key {
    let origin: DelayLine.Origin =
      switch source {
      case .input(let channel): .input(channel: channel)
      case .node(let id, let channel):
        .node(ObjectIdentifier(graph.vertices[id.index].node), channel: channel)
      }
    return DelayLine.Key(source: origin, frameCount: frames)
  }

  mutating func add(_ step: PlannedStep) {
    let locations = step.inputs + step.outputs
    let table = memory.take(locations.count, of: UnsafeMutablePointer<Float>.self)
    for (index, location) in locations.enumerated() { table[index] = address(of: location) }
    let fixed = fixedStep(step.operation)
    let call = fixed?.step ?? call(step.operation)
    (steps + count).initialize(
      to: crealtime_step(
        function: call.function, context: call.context, buffers: UnsafePointer(table)))
    count += 1
    if let index = worker(of: step.operation) {
      parts.contexts.append((graph.vertices[index].node, UnsafeRawPointer(call.context)))
    }
    if let fixed {
      (preboundSteps + beginningCount).initialize(
        to: crealtime_step(
          function: fixed.begin, context: call.context, buffers: UnsafePointer(table)))
      beginningCount += 1
    }
    listing.append(line(step))
  }

  func finish(latencyFrames: Int) -> CompiledGraph {
    program.initialize(
      to: RenderSequence(
        steps: steps, stepCount: count, preboundSteps: preboundSteps,
        beginningCount: beginningCount,
        progress: parts.progress, nodeGuard: parts.nodeGuard, tasks: parts.tasks))
    return CompiledGraph(
      parts, memory: memory, program: program, nodes: graph.vertices.map(\.node),
      latencyFrames: latencyFrames, bufferCount: assignment.bufferCount, listing: listing)
  }

  /// Returns the node whose code a step may call, or nil.
  private func worker(of operation: Operation) -> Int? {
    switch operation {
    case .node(let index): index
    case .deliverEvents(_, .node(let id)), .endNotes(.node(let id)): id.index
    default: nil
    }
  }

  private mutating func call(_ operation: Operation) -> NodeStep {
    switch operation {
    case .node(let index):
      let node = graph.vertices[index].node
      guard let followers = followers[index] else { return step(of: node) }
      return chainStep(of: node, with: followers) ?? step(of: node)
    case .mix(let gains):
      let state = memory.take(1, of: MixState.self)
      let table = memory.take(gains.count, of: Float.self)
      for (index, gain) in gains.enumerated() { table[index] = gain }
      state.initialize(to: MixState(gains: UnsafePointer(table), inputCount: gains.count))
      return NodeStep(function: mixStep, context: UnsafeMutableRawPointer(state))
    case .fade(let startGains, let endGains, let isEarly):
      return fade(from: startGains, to: endGains, isEarly: isEarly)
    case .delay(let source, let frames):
      let key = Self.key(of: source, frames, in: graph)
      let line = parts.carried.delays[key] ?? known.delays[key] ?? DelayLine(frameCount: frames)
      parts.carried.delays[key] = line
      return NodeStep(function: delayStep, context: UnsafeMutableRawPointer(line.pointer))
    case .watchTail(let node):
      let node = graph.vertices[node].node
      let watch = TailDetector(channelCount: node.audioOutputCount)
      parts.tails[ObjectIdentifier(node)] = watch
      return NodeStep(function: tailStep, context: UnsafeMutableRawPointer(watch.pointer))
    case .delayEvents(let term):
      let delay =
        known.eventDelays[key(of: term)]
        ?? EventDelay(queue(term.source), frameCount: term.delayFrames, engine: engine.events)
      parts.carried.eventDelays[key(of: term)] = delay
      return NodeStep(function: eventDelayStep, context: UnsafeMutableRawPointer(delay.pointer))
    case .deliverEvents(let terms, let sink): return delivery(terms, sink)
    case .endNotes(let sink):
      let input = eventInput(sink)
      let state = memory.take(1, of: AllNotesOffState.self)
      state.initialize(
        to: AllNotesOffState(function: input.function, context: input.context, isDone: false))
      return NodeStep(function: allNotesOffStep, context: UnsafeMutableRawPointer(state))
    }
  }

  /// Returns the faster function of a node for buffers at fixed addresses, or nil.
  private func fixedStep(_ operation: Operation) -> PreboundNodeStep? {
    guard case .node(let index) = operation else { return nil }
    let node = graph.vertices[index].node
    // An automated node receives parts of its buffers.
    guard !faulty.contains(ObjectIdentifier(node)), graph.automation(of: node) == nil else {
      return nil
    }
    return node.fixedStep
  }

  /// Returns the step of a node, or the step that bypasses it.
  private func step(of node: any Node) -> NodeStep {
    guard faulty.contains(ObjectIdentifier(node)), let nodeGuard = parts.nodeGuard,
      let index = parts.guarded.firstIndex(where: { $0 === node })
    else { return graph.automation(of: node)?.step ?? node.step }
    return NodeStep(
      function: bypassStep, context: UnsafeMutableRawPointer(nodeGuard.pointee.nodes + index))
  }

  /// Guards all nodes, in the order in which they run.
  private mutating func guardNodes(_ plan: StepPlan) {
    var guarded: [GuardedNode] = []
    let reachedOutputs = graph.outputsByNode(plan)
    for (position, step) in plan.steps.enumerated() {
      guard case .node(let index) = step.operation else { continue }
      let node = graph.vertices[index].node
      parts.guarded.append(node)
      guarded.append(
        GuardedNode(
          step: position, inputCount: node.audioInputCount, outputCount: node.audioOutputCount,
          reachedOutputs: reachedOutputs[index], voltageCount: node.voltageOutputCount,
          unconnected: UnconnectedInput.row))
    }
    let nodeGuard = UnsafeMutablePointer<NodeGuard>.allocate(capacity: 1)
    nodeGuard.initialize(
      to: NodeGuard(guarded, engine.pointer.pointee.guardCurves, engine.settings))
    parts.nodeGuard = nodeGuard
  }

  /// Lets different threads render the tasks.
  private mutating func share(_ tasks: TaskPlan, _ plan: StepPlan) {
    let guarded = plan.steps.indices.filter {
      if case .node = plan.steps[$0].operation { true } else { false }
    }
    let shared = UnsafeMutablePointer<RenderTaskList>.allocate(capacity: 1)
    shared.initialize(to: RenderTaskList(tasks, guardedSteps: guarded))
    parts.tasks = shared
  }

  private func fade(from startGains: [Float], to endGains: [Float], isEarly: Bool) -> NodeStep {
    guard let progress = parts.progress else {
      preconditionFailure("a program with fades has their clock")
    }
    let state = memory.take(1, of: FadeState.self)
    let starts = memory.take(startGains.count, of: Float.self)
    let ends = memory.take(endGains.count, of: Float.self)
    for (index, gain) in startGains.enumerated() { starts[index] = gain }
    for (index, gain) in endGains.enumerated() { ends[index] = gain }
    state.initialize(
      to: FadeState(
        startGains: UnsafePointer(starts), endGains: UnsafePointer(ends),
        inputCount: startGains.count, isEarly: isEarly, progress: UnsafePointer(progress)))
    return NodeStep(function: fadeStep, context: UnsafeMutableRawPointer(state))
  }

  private func key(of term: EventTerm) -> EventDelay.Key {
    let source: ObjectIdentifier? =
      if case .node(let id) = term.source { ObjectIdentifier(graph.vertices[id.index].node) } else {
        nil
      }
    return EventDelay.Key(source: source, frameCount: term.delayFrames)
  }

  private func delivery(_ terms: [EventTerm], _ sink: Graph.EventSink) -> NodeStep {
    let state = memory.take(1, of: EventDeliveryState.self)
    let sources = memory.take(terms.count, of: UnsafeMutablePointer<EventQueue>.self)
    let cursors = memory.take(terms.count, of: Int.self)
    for (index, term) in terms.enumerated() {
      sources[index] =
        parts.carried.eventDelays[key(of: term)]?.pointer.pointee.result ?? queue(term.source)
    }
    let input = eventInput(sink)
    state.initialize(
      to: EventDeliveryState(
        sources: UnsafePointer(sources), cursors: cursors, sourceCount: terms.count,
        function: input.function, context: input.context))
    return NodeStep(function: eventDeliveryStep, context: UnsafeMutableRawPointer(state))
  }

  private func queue(_ source: Graph.EventSource) -> UnsafeMutablePointer<EventQueue> {
    guard case .node(let id) = source else { return engine.events.pointee.queue }
    guard let queue = graph.vertices[id.index].node.eventOutput else {
      preconditionFailure("a node that sent MIDI when it was connected sends none now")
    }
    return queue
  }

  private func eventInput(_ sink: Graph.EventSink) -> NodeEventInput {
    guard case .node(let id) = sink else {
      return NodeEventInput(
        function: sendEngineEvent, context: UnsafeMutableRawPointer(engine.events))
    }
    let node = graph.vertices[id.index].node
    guard let input = graph.automation(of: node)?.eventInput ?? node.eventInput else {
      preconditionFailure("a node that took MIDI when it was connected takes none now")
    }
    return input
  }

  private func address(of location: BufferLocation) -> UnsafeMutablePointer<Float> {
    switch location {
    case .input(let channel): engine.pointer.pointee.inputs[channel]
    case .output(let channel): engine.pointer.pointee.outputs[channel]
    case .silence: silence
    case .unconnected: UnconnectedInput.row
    case .value(let value): channelMemory + (assignment.buffers[value] ?? 0) * channelStrideFrames
    }
  }
}
