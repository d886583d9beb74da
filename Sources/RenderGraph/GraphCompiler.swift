// GraphCompiler.swift: from the graph that is edited to the program that is rendered. SPDX-License-Identifier: MIT

import CRealtime
import PluginModel
import RealtimeKit

/// Turns a graph into a program for one engine.
///
/// Nodes are sorted so that each comes after those that feed it; where paths of different latency
/// meet, the earlier ones are delayed; sums and fan-outs are formed once; values that do not live
/// at the same time share buffers. The result is a flat array of steps in one allocation.
package enum GraphCompiler {
  /// Compiles a graph whose nodes are active.
  ///
  /// The program reads the engine's inputs and writes its outputs, and may be installed in that
  /// engine alone. [main]
  ///
  /// - Precondition: the graph and the engine have the same number of channels.
  /// - Throws: `GraphError.loop`, naming the nodes.
  package static func compile(_ graph: Graph, for engine: Engine) throws(GraphError)
    -> CompiledGraph
  {
    precondition(
      graph.inputChannelCount == engine.settings.inputChannelCount
        && graph.outputChannelCount == engine.settings.outputChannelCount,
      "a graph can be compiled only for an engine of its shape")
    let order = try GraphOrder(graph)
    for (vertex, latency) in zip(graph.vertices, order.inputLatency) {
      vertex.node.setInputLatency(frameCount: latency)
    }
    let plan = Plan(graph, order)
    let assignment = BufferAssignment(plan) { graph.vertices[$0].node.canRunInPlace }
    var builder = ProgramBuilder(graph, plan, assignment, engine)
    for step in plan.steps { builder.add(step) }
    return builder.finish(latencyFrames: order.totalLatency)
  }
}

/// Gives addresses to the steps of a plan.
private struct ProgramBuilder {
  private let graph: Graph
  private let engine: Engine
  private let assignment: BufferAssignment
  private let rowFrames: Int
  private let memory: ProgramMemory
  private let program: UnsafeMutablePointer<Program>
  private let steps: UnsafeMutablePointer<crealtime_step>
  private let rows: UnsafeMutablePointer<Float>
  private let silence: UnsafeMutablePointer<Float>
  private var count = 0
  private var listing: [String] = []
  /// Where the messages of every term that is held back are.
  private var eventDelays: [EventTerm: EventDelay] = [:]

  init(_ graph: Graph, _ plan: Plan, _ assignment: BufferAssignment, _ engine: Engine) {
    self.graph = graph
    self.engine = engine
    self.assignment = assignment
    // A cache line more than needed keeps the rows from meeting in one cache set.
    rowFrames = (engine.settings.maximumFrameCount + 15) / 16 * 16 + 16
    let rowCount = assignment.bufferCount + 1
    let floatSize = MemoryLayout<Float>.stride
    let own = [
      MemoryLayout<Program>.stride, plan.steps.count * MemoryLayout<crealtime_step>.stride,
      rowCount * rowFrames * floatSize,
    ]
    memory = ProgramMemory(pieces: own + plan.steps.flatMap(Self.pieces))
    program = memory.take(1, of: Program.self)
    steps = memory.take(plan.steps.count, of: crealtime_step.self)
    rows = memory.take(rowCount * rowFrames, of: Float.self)
    silence = rows + assignment.bufferCount * rowFrames
  }

  /// What one step takes beside its place in the array, in bytes, in the order of taking.
  private static func pieces(_ step: PlannedStep) -> [Int] {
    let table =
      (step.inputs.count + step.outputs.count) * MemoryLayout<UnsafeMutablePointer<Float>>.stride
    switch step.operation {
    case .node: return [table]
    case .mix(let gains):
      return [table, MemoryLayout<MixState>.stride, gains.count * MemoryLayout<Float>.stride]
    case .delay(let frames):
      return [table, MemoryLayout<DelayState>.stride, frames * MemoryLayout<Float>.stride]
    case .delayEvents: return [table]
    case .deliverEvents(let terms, _):
      return [
        table, MemoryLayout<EventDeliveryState>.stride,
        terms.count * MemoryLayout<UnsafeMutablePointer<EventQueue>>.stride,
        terms.count * MemoryLayout<Int>.stride,
      ]
    }
  }

  mutating func add(_ step: PlannedStep) {
    let places = step.inputs + step.outputs
    let table = memory.take(places.count, of: UnsafeMutablePointer<Float>.self)
    for (index, place) in places.enumerated() { table[index] = address(of: place) }
    let call = call(step.operation)
    (steps + count).initialize(
      to: crealtime_step(
        function: call.function, context: call.context, buffers: UnsafePointer(table)))
    count += 1
    listing.append(line(step))
  }

  func finish(latencyFrames: Int) -> CompiledGraph {
    program.initialize(to: Program(steps: UnsafePointer(steps), stepCount: count))
    return CompiledGraph(
      memory: memory, program: program, nodes: graph.vertices.map(\.node),
      eventDelays: Array(eventDelays.values), latencyFrames: latencyFrames,
      bufferCount: assignment.bufferCount, listing: listing)
  }

  private mutating func call(_ operation: Operation) -> NodeStep {
    switch operation {
    case .node(let node): return graph.vertices[node].node.step
    case .mix(let gains):
      let state = memory.take(1, of: MixState.self)
      let table = memory.take(gains.count, of: Float.self)
      for (index, gain) in gains.enumerated() { table[index] = gain }
      state.initialize(to: MixState(gains: UnsafePointer(table), inputCount: gains.count))
      return NodeStep(function: mixStep, context: UnsafeMutableRawPointer(state))
    case .delay(let frames):
      let state = memory.take(1, of: DelayState.self)
      let ring = memory.take(frames, of: Float.self)
      state.initialize(to: DelayState(ring: ring, frameCount: frames, position: 0))
      return NodeStep(function: delayStep, context: UnsafeMutableRawPointer(state))
    case .delayEvents(let term):
      let delay = EventDelay(
        queue(term.source), frameCount: term.delayFrames, engine: engine.events)
      eventDelays[term] = delay
      return NodeStep(function: eventDelayStep, context: UnsafeMutableRawPointer(delay.pointer))
    case .deliverEvents(let terms, let sink): return delivery(terms, sink)
    }
  }

  private func delivery(_ terms: [EventTerm], _ sink: Graph.EventSink) -> NodeStep {
    let state = memory.take(1, of: EventDeliveryState.self)
    let sources = memory.take(terms.count, of: UnsafeMutablePointer<EventQueue>.self)
    let cursors = memory.take(terms.count, of: Int.self)
    for (index, term) in terms.enumerated() {
      sources[index] = eventDelays[term]?.pointer.pointee.result ?? queue(term.source)
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
    guard let input = graph.vertices[id.index].node.eventInput else {
      preconditionFailure("a node that took MIDI when it was connected takes none now")
    }
    return input
  }

  private func address(of place: Place) -> UnsafeMutablePointer<Float> {
    switch place {
    case .input(let channel): engine.pointer.pointee.inputs[channel]
    case .output(let channel): engine.pointer.pointee.outputs[channel]
    case .silence: silence
    case .unconnected: Unconnected.row
    case .value(let value): rows + (assignment.buffers[value] ?? 0) * rowFrames
    }
  }

  // MARK: - Listing

  private func line(_ step: PlannedStep) -> String {
    let outputs = step.outputs.map(name).joined(separator: " ")
    let inputs = step.inputs.map(name)
    switch step.operation {
    case .node(let node):
      let vertex = graph.vertices[node]
      let latency = vertex.node.latencyFrames
      let note = latency > 0 ? "  (latency \(latency) frames)" : ""
      // A generator has nothing before the arrow, and a meter no arrow.
      let parts = ["\(vertex.name):"] + inputs + (outputs.isEmpty ? [] : ["->", outputs])
      return parts.joined(separator: " ") + note
    case .mix(let gains):
      let terms = zip(inputs, gains).map { $1 == 1 ? $0 : "\($0) x \($1)" }
      return "mix: \(terms.isEmpty ? "silence" : terms.joined(separator: " + ")) -> \(outputs)"
    case .delay(let frames):
      return "delay \(frames) frames: \(inputs[0]) -> \(outputs)"
    case .delayEvents(let term):
      return "delay MIDI \(term.delayFrames) frames: \(name(term.source))"
    case .deliverEvents(let terms, let sink):
      let sources = terms.map {
        $0.delayFrames > 0 ? "\(name($0.source)) late" : name($0.source)
      }
      return "MIDI: \(sources.joined(separator: " + ")) -> \(name(sink))"
    }
  }

  private func name(_ source: Graph.EventSource) -> String {
    guard case .node(let id) = source else { return "in" }
    return graph.vertices[id.index].name
  }

  private func name(_ sink: Graph.EventSink) -> String {
    guard case .node(let id) = sink else { return "out" }
    return graph.vertices[id.index].name
  }

  private func name(_ place: Place) -> String {
    switch place {
    case .input(let channel): "in:\(channel + 1)"
    case .output(let channel): "out:\(channel + 1)"
    case .silence: "silence"
    case .unconnected: "unconnected"
    case .value(let value): "b\((assignment.buffers[value] ?? 0) + 1)"
    }
  }
}
