// GraphTransition.swift: from what sounds to what shall sound. SPDX-License-Identifier: MIT

import PluginModel

/// Two graphs as one, whose gains fade from the one to the other.
///
/// Nodes are the same where they are the same objects: they stand in it once, and go on. A connection
/// that is in one graph alone, or is held back by another delay there, fades in or out; nodes that are
/// given up get silence, and ring out unless they are known to sound by themselves. What leads to a node that is new fades in before all else, so
/// that its sound is there when it is to be heard. [main]
struct GraphTransition {
  /// A graph whose connections all know their delays, with those of its nodes that only ring out.
  struct SourceGraph {
    var graph: Graph
    var order: GraphOrder
    /// Nodes that are there to die away.
    var ringing: Set<ObjectIdentifier> = []

    /// A graph as it is to be heard.
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

  /// What is rendered while it fades, and until the tails have died away.
  private(set) var draft: GraphCompiler.Draft
  /// What is heard once it has faded.
  private(set) var rest: SourceGraph

  /// Leads from one graph to another.
  ///
  /// - Parameters:
  ///   - old: what is heard.
  ///   - new: what shall be heard; nodes that ring out in `old` go on to do so.
  ///   - silenced: nodes that do not ring out, or no longer.
  /// - Throws: `GraphError.loop` where both together go round in a circle, though neither does.
  init(
    from old: SourceGraph, to new: SourceGraph, silencing silenced: Set<ObjectIdentifier> = []
  ) throws(GraphError) {
    let union = MergedGraph(old, new, silenced)
    let ringing = Set(union.vertices.indices.filter { union.rings($0) })
    let wanted = new.graph.automated(with: old.graph)
    let graph = wanted.with(union.vertices, union.connections)
    let order = try GraphOrder(graph, lateAs: new.order)
    draft = GraphCompiler.Draft(
      graph: graph, order: order, silenced: union.orphans, ringing: ringing, fresh: union.fresh)
    // Those that ring follow the new graph's own; what is merely gone comes last.
    let kept = new.graph.vertices.count + ringing.count
    let resting = union.connections.filter { union.isKept($0) }.map { connection in
      var connection = connection
      connection.startGain = connection.gain
      return connection
    }
    let restGraph = wanted.with(Array(union.vertices.prefix(kept)), resting)
    rest = SourceGraph(
      restGraph, try GraphOrder(restGraph, lateAs: new.order),
      ringing: Set(ringing.map { ObjectIdentifier(union.vertices[$0].node) }))
  }
}

/// The nodes and connections of both graphs.
private struct MergedGraph {
  private(set) var vertices: [Graph.Vertex]
  private(set) var connections: [Graph.Connection] = []
  /// Sinks of MIDI that lose a source.
  private(set) var orphans: [Graph.EventSink] = []
  private let newCount: Int
  private var ringing: Set<Int> = []
  /// Nodes that are gone and do not ring though they could: their inputs stay as they are while their outputs fade,
  /// as two fades in a row would leave a dip.
  private var fading: Set<Int> = []
  /// Nodes that only the new graph has.
  let fresh: Set<Int>
  /// Which connections are the new graph's.
  private var wanted: Set<Key> = []
  private var places: [Key: Int] = [:]

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
    let gone = old.graph.vertices.indices.filter {
      indices[ObjectIdentifier(old.graph.vertices[$0].node)] == nil
    }
    let fed = Set(
      old.graph.connections.compactMap { connection -> Int? in
        guard case .node(let id, _) = connection.sink else { return nil }
        return id.index
      })
    // A node that makes sound by itself has no tail that can be told from its sound. A node without outputs has
    // none at all.
    let ringing = gone.filter { index in
      let node = old.graph.vertices[index].node
      let identity = ObjectIdentifier(node)
      return node.givesAnything && !node.soundsAlone && !silenced.contains(identity)
        && (fed.contains(index) || old.ringing.contains(identity))
    }
    for index in ringing + gone.filter({ !ringing.contains($0) }) {
      indices[ObjectIdentifier(old.graph.vertices[index].node)] = vertices.count
      if ringing.contains(index) {
        self.ringing.insert(vertices.count)
      } else if fed.contains(index), old.graph.vertices[index].node.givesAnything {
        fading.insert(vertices.count)
      }
      vertices.append(old.graph.vertices[index])
    }
    func index(_ id: Graph.NodeID) -> Int {
      // Every node of the old graph is in `vertices`.
      indices[ObjectIdentifier(old.graph.vertices[id.index].node)] ?? 0
    }
    for connection in new.graph.connections { fadeIn(connection) }
    for connection in old.graph.connections { takeOver(connection.moved(by: index)) }
    orphans = Self.orphans(
      old.graph.eventConnections.map { $0.moved(by: index) }, new.graph, ringing: self.ringing)
  }

  /// Whether a node is there only to die away.
  func rings(_ index: Int) -> Bool { ringing.contains(index) }

  /// Whether a connection is still there after the fades.
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
    places[Key(connection)] = connections.count
    wanted.insert(Key(connection))
    connections.append(connection)
  }

  private mutating func takeOver(_ connection: Graph.Connection) {
    if let place = places[Key(connection)] {
      connections[place].startGain = connection.gain
      return
    }
    var connection = connection
    connection.startGain = connection.gain
    if !carriesTail(connection), !feedsFading(connection) { connection.gain = 0 }
    connections.append(connection)
  }

  /// Whether a node rings out into something that is still there: its tail goes where its sound went.
  private func carriesTail(_ connection: Graph.Connection) -> Bool {
    guard case .node(let source, _) = connection.source, ringing.contains(source.index) else {
      return false
    }
    guard case .node(let sink, _) = connection.sink else { return true }
    return sink.index < newCount || ringing.contains(sink.index)
  }

  private static func orphans(
    _ old: [Graph.EventConnection], _ new: Graph, ringing: Set<Int>
  ) -> [Graph.EventSink] {
    var orphans: [Graph.EventSink] = []
    for connection in old where !new.eventConnections.contains(connection) {
      // A held note is no tail. A node that is gone gets nothing more, and notes that go out are not ours to end.
      guard case .node(let id) = connection.sink,
        id.index < new.vertices.count || ringing.contains(id.index),
        !orphans.contains(connection.sink)
      else { continue }
      orphans.append(connection.sink)
    }
    return orphans
  }
}

extension Graph {
  /// The same borders and MIDI, with other nodes and connections.
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
  /// The same between nodes that have other places.
  fileprivate func moved(by place: (Graph.NodeID) -> Int) -> Graph.Connection {
    var moved = self
    if case .node(let id, let channel) = source {
      moved.source = .node(Graph.NodeID(index: place(id)), channel: channel)
    }
    if case .node(let id, let channel) = sink {
      moved.sink = .node(Graph.NodeID(index: place(id)), channel: channel)
    }
    return moved
  }
}

extension Graph.EventConnection {
  /// The same between nodes that have other places.
  fileprivate func moved(by place: (Graph.NodeID) -> Int) -> Graph.EventConnection {
    var moved = self
    if case .node(let id) = source { moved.source = .node(Graph.NodeID(index: place(id))) }
    if case .node(let id) = sink { moved.sink = .node(Graph.NodeID(index: place(id))) }
    return moved
  }
}

extension Node {
  /// Whether sound or MIDI leaves it.
  fileprivate var givesAnything: Bool { audioOutputCount > 0 || eventOutput != nil }
}
