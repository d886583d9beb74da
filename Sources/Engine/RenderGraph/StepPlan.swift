// StepPlan.swift: the steps of a render sequence before they have memory. SPDX-License-Identifier: MIT

import PluginModel

/// The location that a step reads or writes, before it has an address.
enum BufferLocation: Hashable {
  /// A channel that the driver captured.
  case input(Int)
  /// A channel that the driver plays.
  case output(Int)
  /// A buffer of zeros that is never written.
  case silence
  /// No buffer: an unconnected input of a node that can distinguish it from silence.
  case unconnected
  /// The result of an earlier step, numbered in the order of writing.
  case value(Int)
}

/// A MIDI source and its delay in frames.
struct EventTerm: Hashable {
  let source: Graph.EventSource
  let delayFrames: Int
}

/// The operation of a step.
enum Operation: Equatable {
  /// Runs the node with this index.
  case node(Int)
  /// Mixes its inputs, each with its gain.
  case mix(gains: [Float])
  /// Mixes its inputs, each with a gain that fades from one value to another.
  ///
  /// An early fade warms up a node that becomes audible later.
  case fade(from: [Float], to: [Float], isEarly: Bool)
  /// Delays a source, its one input, by `frames`.
  case delay(Graph.Source, frames: Int)
  /// Measures the output level of a node that only renders its tail.
  case watchTail(node: Int)
  /// Delays MIDI.
  case delayEvents(EventTerm)
  /// Delivers MIDI to a sink before it is rendered.
  case deliverEvents([EventTerm], to: Graph.EventSink)
  /// Ends all notes of a sink, once.
  case endNotes(Graph.EventSink)
}

/// One step of a plan.
struct PlannedStep: Equatable {
  var operation: Operation
  var inputs: [BufferLocation]
  var outputs: [BufferLocation]
}

/// Converts a sorted graph to steps: sums, delays and nodes.
///
/// Each value is written once.
struct StepPlan {
  private(set) var steps: [PlannedStep] = []
  /// The number of values.
  private(set) var valueCount = 0

  private let graph: Graph
  private let order: GraphOrder
  private let ringing: Set<Int>
  private let fresh: Set<Int>
  /// The outputs of the nodes planned so far.
  private var produced: [Graph.Source: BufferLocation] = [:]
  /// Delays and sums that exist already, which a fan-out shares.
  private var delayed: [Delayed: BufferLocation] = [:]
  private var mixed: [[Term]: BufferLocation] = [:]
  private var delayedEvents: Set<EventTerm> = []
  private let connectionsBySink: [Graph.Sink: [Graph.Connection]]

  private struct Delayed: Hashable {
    let location: BufferLocation
    let frames: Int
  }

  private struct Term: Hashable {
    let location: BufferLocation
    let gain: Float
    let startGain: Float
    let isEarly: Bool
  }

  /// Plans the whole graph. [main]
  ///
  /// - Parameters:
  ///   - graph: the graph.
  ///   - order: the order of its nodes, with the latencies that MIDI is aligned with.
  ///   - silenced: MIDI sinks whose notes are ended first.
  ///   - ringing: nodes that only render their tails, whose output level is measured.
  ///   - fresh: new nodes, which warm up.
  init(
    _ graph: Graph, _ order: GraphOrder, silenced: [Graph.EventSink] = [], ringing: Set<Int> = [],
    fresh: Set<Int> = []
  ) {
    self.graph = graph
    self.order = order
    self.ringing = ringing
    self.fresh = fresh
    connectionsBySink = Dictionary(grouping: graph.connections, by: \.sink)
    for sink in silenced {
      steps.append(PlannedStep(operation: .endNotes(sink), inputs: [], outputs: []))
    }
    for node in order.order { planNode(node) }
    planEvents(.output, alignedTo: order.totalLatency)
    for channel in 0 ..< graph.outputChannelCount { planOutput(channel) }
    copySharedInputs()
    elideOutputCopies()
  }

  /// Changes the order of the steps. [main]
  mutating func arrange(_ order: [Int]) {
    steps = order.map { steps[$0] }
  }

  private mutating func planNode(_ node: Int) {
    let vertex = graph.vertices[node]
    let id = Graph.NodeID(index: node)
    var inputs: [BufferLocation] = []
    for channel in 0 ..< vertex.node.audioInputCount {
      let sink = Graph.Sink.node(id, channel: channel)
      if connectionsBySink[sink] == nil, vertex.node.hasUnconnectedDefault(channel) {
        inputs.append(.unconnected)
        continue
      }
      inputs.append(sum(terms(for: sink)))
    }
    planEvents(.node(id), alignedTo: order.inputLatency[node])
    let outputs = (0 ..< vertex.node.audioOutputCount).map { _ in newValue() }
    for (channel, location) in outputs.enumerated() {
      produced[.node(id, channel: channel)] = location
    }
    steps.append(PlannedStep(operation: .node(node), inputs: inputs, outputs: outputs))
    if ringing.contains(node) {
      steps.append(PlannedStep(operation: .watchTail(node: node), inputs: outputs, outputs: []))
    }
  }

  /// Plans the MIDI of a sink, delayed as long as its audio.
  private mutating func planEvents(_ sink: Graph.EventSink, alignedTo latency: Int) {
    let terms = graph.eventConnections.filter { $0.sink == sink }.map {
      EventTerm(source: $0.source, delayFrames: latency - order.latency(of: $0.source))
    }
    for term in terms where term.delayFrames > 0 && delayedEvents.insert(term).inserted {
      steps.append(PlannedStep(operation: .delayEvents(term), inputs: [], outputs: []))
    }
    guard !terms.isEmpty else { return }
    steps.append(
      PlannedStep(operation: .deliverEvents(terms, to: sink), inputs: [], outputs: []))
  }

  /// Plans an output.
  ///
  /// Each has a separate buffer, because the master fade writes into it.
  private mutating func planOutput(_ channel: Int) {
    let terms = terms(for: .output(channel: channel))
    steps.append(
      PlannedStep(
        operation: Self.sum(terms), inputs: terms.map(\.location), outputs: [.output(channel)]))
  }

  /// Returns the connections of a sink, each delayed to the largest latency among them.
  private mutating func terms(for sink: Graph.Sink) -> [Term] {
    var terms: [Term] = []
    let isEarly = if case .node(let id, _) = sink { fresh.contains(id.index) } else { false }
    for connection in connectionsBySink[sink] ?? [] where connection.isAudible {
      let location: BufferLocation? =
        switch connection.source {
        case .input(let channel): .input(channel)
        case .node: produced[connection.source]
        }
      guard let location else { continue }
      terms.append(
        Term(
          location: delay(location, connection.source, order.delay(of: connection)),
          gain: connection.gain, startGain: connection.startGain, isEarly: isEarly))
    }
    return terms
  }

  private mutating func delay(
    _ location: BufferLocation, _ source: Graph.Source, _ frames: Int
  ) -> BufferLocation {
    guard frames > 0 else { return location }
    let key = Delayed(location: location, frames: frames)
    if let known = delayed[key] { return known }
    let result = newValue()
    steps.append(
      PlannedStep(operation: .delay(source, frames: frames), inputs: [location], outputs: [result]))
    delayed[key] = result
    return result
  }

  private mutating func sum(_ terms: [Term]) -> BufferLocation {
    guard let first = terms.first else { return .silence }
    if terms.count == 1, first.gain == 1, first.startGain == 1 { return first.location }
    if let known = mixed[terms] { return known }
    let result = newValue()
    steps.append(
      PlannedStep(operation: Self.sum(terms), inputs: terms.map(\.location), outputs: [result]))
    mixed[terms] = result
    return result
  }

  private static func sum(_ terms: [Term]) -> Operation {
    let isIdle = terms.allSatisfy { $0.gain == $0.startGain }
    return isIdle
      ? .mix(gains: terms.map(\.gain))
      : .fade(
        from: terms.map(\.startGain), to: terms.map(\.gain),
        isEarly: terms.contains(where: \.isEarly))
  }

  private mutating func newValue() -> BufferLocation {
    valueCount += 1
    return .value(valueCount - 1)
  }

  /// Plans a copy of each input that a plugin shares with other readers, because it may write to it.
  private mutating func copySharedInputs() {
    let readers = readerCounts()
    let planned = steps
    steps = []
    for var step in planned {
      if case .node(let node) = step.operation, graph.vertices[node].node.mayWriteInputs {
        for (channel, location) in step.inputs.enumerated() {
          if case .value(let value) = location, readers[value] == 1 { continue }
          guard location != .unconnected else { continue }
          let copy = newValue()
          let isSilent = location == .silence
          steps.append(
            PlannedStep(
              operation: .mix(gains: isSilent ? [] : [1]), inputs: isSilent ? [] : [location],
              outputs: [copy]))
          step.inputs[channel] = copy
        }
      }
      steps.append(step)
    }
  }

  /// Returns the number of inputs that read each value.
  private func readerCounts() -> [Int] {
    var readers = [Int](repeating: 0, count: valueCount)
    for case .value(let value) in steps.lazy.flatMap(\.inputs) { readers[value] += 1 }
    return readers
  }

  /// Removes the copy into an output if the value has no other reader: its writer then writes into
  /// the output.
  private mutating func elideOutputCopies() {
    let readers = readerCounts()
    var direct: [BufferLocation: BufferLocation] = [:]
    steps.removeAll { step in
      guard step.operation == .mix(gains: [1]), case .output = step.outputs[0],
        case .value(let value) = step.inputs[0], readers[value] == 1
      else { return false }
      direct[step.inputs[0]] = step.outputs[0]
      return true
    }
    for index in steps.indices {
      steps[index].outputs = steps[index].outputs.map { direct[$0] ?? $0 }
    }
  }
}
