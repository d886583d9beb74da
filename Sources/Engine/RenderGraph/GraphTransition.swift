// GraphTransition.swift: the crossfade from one graph to another. SPDX-License-Identifier: MIT

import PluginModel

/// Two graphs merged into one, whose gains fade from the first to the second.
///
/// Nodes that are the same objects occur once and keep running. A connection that only one graph
/// has, or that has another delay there, fades in or out. Removed nodes receive silence and render
/// their tails, unless they generate sound themselves. Connections into new nodes fade in first, so
/// that these nodes have warmed up when they become audible. [main]
struct GraphTransition {
  /// A graph whose connections all have fixed delays, with its nodes that only render their tails.
  struct SourceGraph {
    var graph: Graph
    var order: GraphOrder
    /// The nodes that only render their tails.
    var ringing: Set<ObjectIdentifier> = []

    /// Creates the graph that a session requested.
    init(_ graph: Graph) throws(GraphError) {
      let order = try GraphOrder(graph)
      var connections = graph.connections
      for index in connections.indices {
        connections[index].delayFrames = order.delay(of: connections[index])
      }
      self.graph = graph.with(graph.vertices, connections)
      self.order = order
    }

    fileprivate init(_ graph: Graph, _ order: GraphOrder, ringing: Set<ObjectIdentifier>) {
      (self.graph, self.order, self.ringing) = (graph, order, ringing)
    }
  }

  /// The graph that is rendered during the fade, and until the tails are over.
  private(set) var draft: GraphCompiler.Draft
  /// The graph that remains after the fade.
  private(set) var rest: SourceGraph

  /// Merges two graphs.
  ///
  /// - Parameters:
  ///   - old: the active graph.
  ///   - new: the requested graph; tails of `old` continue.
  ///   - silenced: nodes that render no tail, or no longer.
  /// - Throws: `GraphError.loop` if the union of both graphs has a loop.
  init(
    from old: SourceGraph, to new: SourceGraph, silencing silenced: Set<ObjectIdentifier> = []
  ) throws(GraphError) {
    let union = MergedGraph(old, new, silenced)
    let ringing = Set(union.vertices.indices.filter { union.isTailOnly($0) })
    let wanted = new.graph.automated(with: old.graph)
    let graph = wanted.with(union.vertices, union.connections)
    let order = try GraphOrder(graph, lateAs: new.order)
    draft = GraphCompiler.Draft(
      graph: graph, order: order, silenced: union.unconnectedSinks, ringing: ringing,
      fresh: union.fresh)
    // The new graph's own nodes come first, then the tails; removed nodes come last.
    let keptCount = new.graph.vertices.count + ringing.count
    let resting = union.connections.filter { union.isKept($0) }.map { connection in
      var connection = connection
      connection.startGain = connection.gain
      return connection
    }
    let remainingGraph = wanted.with(Array(union.vertices.prefix(keptCount)), resting)
    rest = SourceGraph(
      remainingGraph, try GraphOrder(remainingGraph, lateAs: new.order),
      ringing: Set(ringing.map { ObjectIdentifier(union.vertices[$0].node) }))
  }
}

/// The nodes and connections of both graphs.
private struct MergedGraph {
  private(set) var vertices: [Graph.Vertex]
  private(set) var connections: [Graph.Connection] = []
  /// The MIDI sinks that lose a source.
  private(set) var unconnectedSinks: [Graph.EventSink] = []
  private let newCount: Int
  private var ringing: Set<Int> = []
  /// Removed nodes that have a tail but do not render it.
  ///
  /// Their inputs stay connected while their outputs fade: two fades in series would cause a dip.
  private var fading: Set<Int> = []
  /// The nodes that only the new graph has.
  let fresh: Set<Int>
  /// The connections of the new graph.
  private var wanted: Set<Key> = []
  private var connectionIndices: [Key: Int] = [:]

  private struct Key: Hashable {
    let source: Graph.Source
    let sink: Graph.Sink
    let delayFrames: Int?

    init(_ connection: Graph.Connection) {
      (source, sink) = (connection.source, connection.sink)
      delayFrames = connection.delayFrames
    }
  }

  init(
    _ old: GraphTransition.SourceGraph, _ new: GraphTransition.SourceGraph,
    _ silenced: Set<ObjectIdentifier>
  ) {
    vertices = new.graph.vertices
    newCount = vertices.count
    var indices: [ObjectIdentifier: Int] = [:]
    for (index, vertex) in vertices.enumerated() { indices[ObjectIdentifier(vertex.node)] = index }
    let known = Set(old.graph.vertices.map { ObjectIdentifier($0.node) })
    fresh = Set(
      new.graph.vertices.indices.filter {
        !known.contains(ObjectIdentifier(new.graph.vertices[$0].node))
      })
    let removed = old.graph.vertices.indices.filter {
      indices[ObjectIdentifier(old.graph.vertices[$0].node)] == nil
    }
    let fed = Set(
      old.graph.connections.compactMap { connection -> Int? in
        guard case .node(let id, _) = connection.sink else { return nil }
        return id.index
      })
    // The tail of a node that generates sound cannot be separated from that sound. A node without
    // outputs has no tail.
    let ringing = removed.filter { index in
      let node = old.graph.vertices[index].node
      let identity = ObjectIdentifier(node)
      return node.givesAnything && !node.generatesAudio && !silenced.contains(identity)
        && (fed.contains(index) || old.ringing.contains(identity))
    }
    for index in ringing + removed.filter({ !ringing.contains($0) }) {
      indices[ObjectIdentifier(old.graph.vertices[index].node)] = vertices.count
      if ringing.contains(index) {
        self.ringing.insert(vertices.count)
      } else if fed.contains(index), old.graph.vertices[index].node.givesAnything {
        fading.insert(vertices.count)
      }
      vertices.append(old.graph.vertices[index])
    }
    func index(_ id: Graph.NodeID) -> Int {
      // `vertices` has every node of the old graph.
      indices[ObjectIdentifier(old.graph.vertices[id.index].node)] ?? 0
    }
    for connection in new.graph.connections { fadeIn(connection) }
    for connection in old.graph.connections { takeOver(connection.moved(by: index)) }
    unconnectedSinks = Self.unconnectedSinks(
      old.graph.eventConnections.map { $0.moved(by: index) }, new.graph, ringing: self.ringing)
  }

  /// Whether a node only renders its tail.
  func isTailOnly(_ index: Int) -> Bool { ringing.contains(index) }

  /// Whether a connection remains after the fades.
  func isKept(_ connection: Graph.Connection) -> Bool {
    wanted.contains(Key(connection)) || (connection.gain != 0 && !feedsFading(connection))
  }

  private func feedsFading(_ connection: Graph.Connection) -> Bool {
    guard case .node(let sink, _) = connection.sink else { return false }
    return fading.contains(sink.index)
  }

  private mutating func fadeIn(_ connection: Graph.Connection) {
    var connection = connection
    connection.startGain = 0
    connectionIndices[Key(connection)] = connections.count
    wanted.insert(Key(connection))
    connections.append(connection)
  }

  private mutating func takeOver(_ connection: Graph.Connection) {
    if let index = connectionIndices[Key(connection)] {
      connections[index].startGain = connection.gain
      return
    }
    var connection = connection
    connection.startGain = connection.gain
    if !hasLiveDestination(connection), !feedsFading(connection) { connection.gain = 0 }
    connections.append(connection)
  }

  /// Whether a connection carries the tail of a removed node into a sink that remains.
  private func hasLiveDestination(_ connection: Graph.Connection) -> Bool {
    guard case .node(let source, _) = connection.source, ringing.contains(source.index) else {
      return false
    }
    guard case .node(let sink, _) = connection.sink else { return true }
    return sink.index < newCount || ringing.contains(sink.index)
  }

  private static func unconnectedSinks(
    _ old: [Graph.EventConnection], _ new: Graph, ringing: Set<Int>
  ) -> [Graph.EventSink] {
    var unconnectedSinks: [Graph.EventSink] = []
    for connection in old where !new.eventConnections.contains(connection) {
      // A held note is not a tail. A removed node receives nothing more, and notes that left the
      // graph are not ended here.
      guard case .node(let id) = connection.sink,
        id.index < new.vertices.count || ringing.contains(id.index),
        !unconnectedSinks.contains(connection.sink)
      else { continue }
      unconnectedSinks.append(connection.sink)
    }
    return unconnectedSinks
  }
}

extension Graph {
  /// Returns a graph with the same inputs, outputs and MIDI connections, but other nodes and
  /// connections.
  fileprivate func with(_ vertices: [Vertex], _ connections: [Connection]) -> Graph {
    var graph = Graph(
      inputChannelCount: inputChannelCount, outputChannelCount: outputChannelCount,
      vertices: vertices, connections: connections, eventConnections: eventConnections)
    if !automations.isEmpty {
      let nodes = Set(vertices.map { ObjectIdentifier($0.node) })
      graph.automations = automations.filter { nodes.contains($0.key) }
    }
    return graph
  }
}

extension Graph.Connection {
  /// Returns the connection with other node numbers.
  fileprivate func moved(by newIndex: (Graph.NodeID) -> Int) -> Graph.Connection {
    var moved = self
    if case .node(let id, let channel) = source {
      moved.source = .node(Graph.NodeID(index: newIndex(id)), channel: channel)
    }
    if case .node(let id, let channel) = sink {
      moved.sink = .node(Graph.NodeID(index: newIndex(id)), channel: channel)
    }
    return moved
  }
}

extension Graph.EventConnection {
  /// Returns the MIDI connection with other node numbers.
  fileprivate func moved(by newIndex: (Graph.NodeID) -> Int) -> Graph.EventConnection {
    var moved = self
    if case .node(let id) = source { moved.source = .node(Graph.NodeID(index: newIndex(id))) }
    if case .node(let id) = sink { moved.sink = .node(Graph.NodeID(index: newIndex(id))) }
    return moved
  }
}

extension Node {
  /// Whether the node has audio outputs or sends MIDI.
  fileprivate var givesAnything: Bool { audioOutputCount > 0 || eventOutput != nil }
}
