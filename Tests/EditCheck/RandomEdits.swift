// RandomEdits.swift: random edits, and their results. SPDX-License-Identifier: MIT

import GraphTestSupport
import PluginModel
import RealtimeKit
import RenderGraph

/// An engine whose graph is edited at random, to new graphs and back to earlier ones.
struct RandomEdits {
  private static let blocksAfterEdit = 70
  private static let blockFrames = 64
  private static let rateHz = 48_000.0

  /// The edited graph: nodes in the order of their creation, so that no edit makes a loop.
  private struct GraphDescription {
    var nodes: [any Node] = []
    var lines: [(line: ConnectionDelay, from: ObjectIdentifier, to: ObjectIdentifier)] = []
    var lanes: [ObjectIdentifier: NodeAutomation] = [:]
    var connections: [Connection] = []

    struct Connection {
      /// Nil for the input.
      var from: ObjectIdentifier?
      /// Nil for the output.
      var to: ObjectIdentifier?
      var gain: Float
    }
  }

  private let engine: Engine
  private let transport: Transport
  private let editor: GraphEditor
  private let hasFaults: Bool
  private var numbers: Numbers
  private var sketch: GraphDescription
  /// Earlier graphs, to which edits can return.
  private var history: [GraphDescription] = []
  private var detector = ClickDetector()
  private var frameCount = 0
  private(set) var faultCount = 0
  private(set) var unusedCount = 0
  /// The highest output level, linear.
  private(set) var loudest: Float = 0

  var click: (level: Double, frame: Int) { detector.worst }
  var sharedBlockCount: UInt64 { engine.sharedBlockCount }

  /// An engine with one node. [main]
  init(seed: UInt64, threadCount: Int, hasFaults: Bool) throws {
    self.hasFaults = hasFaults
    numbers = Numbers(seed: 20_260_101 &+ seed &* 7_919)
    transport = Transport(TransportSettings(), sampleRateHz: Self.rateHz)
    var threads = ThreadPolicy(count: threadCount)
    threads.isForced = true
    engine = Engine(
      Engine.Settings(
        inputChannelCount: 1, outputChannelCount: 1, maximumFrameCount: Self.blockFrames,
        sampleRateHz: Self.rateHz, startsFadedOut: false, guardsNodes: true,
        watchesDeadline: hasFaults, watchesOffset: true, threads: threads),
      transport: transport)
    sketch = GraphDescription(nodes: [SumNode(inputs: 1, outputs: 1)])
    editor = try GraphEditor(try Self.graph(sketch), engine)
    // The tone has begun before the first check.
    for _ in 0 ..< 20 { try render(isAudible: false) }
  }

  /// Makes an edit and checks its results. [main]
  mutating func next() throws {
    let before = sketch
    if !history.isEmpty, numbers.next(below: 5) == 0 {
      sketch = history.remove(at: numbers.next(below: history.count))
    } else {
      change()
    }
    history.append(before)
    if history.count > 4 { history.removeFirst() }
    try editor.edit(to: try Self.graph(sketch))
    editor.measuresNodes = numbers.next(below: 2) == 0
    // Sometimes the next edit comes before the fades of this one have ended.
    let count = numbers.next(below: 4) == 0 ? 20 : Self.blocksAfterEdit
    for block in 0 ..< count {
      try render(isAudible: !hasFaults)
      guard block % 16 == 0 else { continue }
      unusedCount += editor.advance(at: Double(frameCount) / Self.rateHz).count
      faultCount += editor.takeFaults().count
    }
  }

  private mutating func render(isAudible: Bool) throws {
    for frame in 0 ..< Self.blockFrames {
      engine.pointer.pointee.inputs[0][frame] = detector.tone(at: frameCount + frame)
    }
    renderBlock(engine.pointer, Self.blockFrames)
    frameCount += Self.blockFrames
    guard isAudible else { return }
    for frame in 0 ..< Self.blockFrames {
      let sample = engine.pointer.pointee.outputs[0][frame]
      detector.hear(sample)
      loudest = max(loudest, abs(sample))
    }
  }

  // MARK: - Changes

  private mutating func change() {
    sketch.nodes.removeAll { _ in numbers.next(below: 4) == 0 }
    let count = 1 + numbers.next(below: 16)
    while sketch.nodes.count < count { sketch.nodes.append(makeNode()) }
    let places = Dictionary(
      uniqueKeysWithValues: sketch.nodes.enumerated().map { (ObjectIdentifier($1), $0) })
    connect(places)
    changeLines(places)
    changeLanes(places)
  }

  private mutating func makeNode() -> any Node {
    switch numbers.next(below: 8) {
    case 0: EchoNode(frames: 1 + numbers.next(below: 4_000), feedback: 0.5)
    case 1: KeyNode()
    case 2 where hasFaults:
      SumNode(inputs: 1, outputs: 1, gain: numbers.next(below: 2) == 0 ? .nan : 1e7)
    default: SumNode(inputs: 1, outputs: 1, gain: 0.5, latency: numbers.next(below: 500))
    }
  }

  /// Each node gets the input, and most of them the output of an earlier one; most connections are
  /// kept.
  private mutating func connect(_ places: [ObjectIdentifier: Int]) {
    sketch.connections.removeAll { connection in
      let isThere = [connection.from, connection.to].allSatisfy {
        $0.map { places[$0] != nil } ?? true
      }
      return !isThere || numbers.next(below: 4) == 0
    }
    func isConnected(_ from: ObjectIdentifier?, _ to: ObjectIdentifier?) -> Bool {
      sketch.connections.contains { $0.from == from && $0.to == to }
    }
    let identifiers = sketch.nodes.map { ObjectIdentifier($0) }
    for (index, own) in identifiers.enumerated() {
      var wanted: [GraphDescription.Connection] = [
        GraphDescription.Connection(from: nil, to: own, gain: 0.5)
      ]
      if index > 0 {
        let other = identifiers[numbers.next(below: index)]
        wanted.append(GraphDescription.Connection(from: other, to: own, gain: 0.25))
      }
      if numbers.next(below: 2) == 0 {
        wanted.append(GraphDescription.Connection(from: own, to: nil, gain: 0.25))
      }
      for connection in wanted where !isConnected(connection.from, connection.to) {
        sketch.connections.append(connection)
      }
    }
    for place in sketch.connections.indices where numbers.next(below: 8) == 0 {
      sketch.connections[place].gain = [0, 0.1, 0.25][numbers.next(below: 3)]
    }
  }

  /// Delayed connections from a node to itself or to an earlier one.
  private mutating func changeLines(_ places: [ObjectIdentifier: Int]) {
    sketch.lines.removeAll { places[$0.from] == nil || places[$0.to] == nil }
    if numbers.next(below: 3) == 0, !sketch.lines.isEmpty { sketch.lines.removeFirst() }
    guard sketch.lines.count < 2, numbers.next(below: 2) == 0 else { return }
    let from = numbers.next(below: sketch.nodes.count)
    let key = ConnectionDelay.Key(
      node: nil, channel: 0, frameCount: Self.blockFrames + numbers.next(below: 4_000))
    sketch.lines.append(
      (
        ConnectionDelay(key, maximumFrameCount: Self.blockFrames),
        ObjectIdentifier(sketch.nodes[from]),
        ObjectIdentifier(sketch.nodes[numbers.next(below: from + 1)])
      ))
  }

  private mutating func changeLanes(_ places: [ObjectIdentifier: Int]) {
    sketch.lanes = sketch.lanes.filter { places[$0.key] != nil }
    for node in sketch.nodes where node.parameterInput != nil {
      guard numbers.next(below: 2) == 0 else { continue }
      let lane = AutomationLane(
        parameter: 0, clock: .seconds,
        points: [
          AutomationLane.Point(time: 0, value: 0, shape: .linear),
          AutomationLane.Point(time: 0.05, value: 1, shape: .linear),
        ], loop: 0.06, isWhole: false)
      sketch.lanes[ObjectIdentifier(node)] =
        numbers.next(below: 3) == 0 ? nil : NodeAutomation([lane], of: node, transport: transport)
    }
  }

  private static func graph(_ sketch: GraphDescription) throws -> Graph {
    var graph = Graph(inputChannelCount: 1, outputChannelCount: 1)
    var identifiers: [ObjectIdentifier: Graph.NodeID] = [:]
    for (index, node) in sketch.nodes.enumerated() {
      let id = graph.add(node, named: "n\(index)")
      identifiers[ObjectIdentifier(node)] = id
      if node.eventInput != nil, index % 2 == 0 { try graph.connectEvents(.input, to: .node(id)) }
      if let lanes = sketch.lanes[ObjectIdentifier(node)] { graph.automate(node, by: lanes) }
    }
    func place(_ node: ObjectIdentifier?) -> Graph.NodeID? { node.flatMap { identifiers[$0] } }
    try graph.connect(.input(channel: 0), to: .output(channel: 0), gain: 0.25)
    for connection in sketch.connections {
      try graph.connect(
        place(connection.from).map { .node($0, channel: 0) } ?? .input(channel: 0),
        to: place(connection.to).map { .node($0, channel: 0) } ?? .output(channel: 0),
        gain: connection.gain)
    }
    for (line, from, to) in sketch.lines {
      guard let from = identifiers[from], let to = identifiers[to] else { continue }
      let entrance = graph.add(line.entrance, named: "entrance")
      let exit = graph.add(line.exit, named: "exit")
      try graph.connect(.node(from, channel: 0), to: .node(entrance, channel: 0))
      try graph.connect(
        .node(exit, channel: 0), to: .node(to, channel: 0), gain: 0.1, delayFrames: 0)
    }
    return graph
  }
}
