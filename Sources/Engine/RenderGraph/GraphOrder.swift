// GraphOrder.swift: in which order nodes are rendered, and when their sound arrives. SPDX-License-Identifier: MIT

import PluginModel

/// The order of the nodes and the delay at each of them.
struct GraphOrder {
  /// Every node after all that feed it; among equals, as they were added.
  let order: [Int]
  /// Frames by which the sound at a node's inputs, once aligned, is late; indexed by node.
  let inputLatency: [Int]
  /// The same at its outputs.
  let outputLatency: [Int]
  /// The same at the graph's outputs: what a listener has to wait for.
  let totalLatency: Int

  /// Sorts the graph and adds up the latencies. [main]
  init(_ graph: Graph) throws(GraphError) {
    let predecessors = Self.predecessors(graph)
    order = try Self.sort(graph, predecessors)
    var inputLatency = [Int](repeating: 0, count: graph.vertices.count)
    var outputLatency = inputLatency
    for node in order {
      inputLatency[node] = predecessors[node].map { outputLatency[$0] }.max() ?? 0
      outputLatency[node] = inputLatency[node] + graph.vertices[node].node.latencyFrames
    }
    self.inputLatency = inputLatency
    self.outputLatency = outputLatency
    totalLatency = Self.sounding(graph).map { outputLatency[$0.index] }.max() ?? 0
  }

  /// Sorts what an order is known for, and some more behind it, which keeps its connections' own delays.
  init(_ graph: Graph, lateAs other: GraphOrder) throws(GraphError) {
    order = try Self.sort(graph, Self.predecessors(graph))
    let further = [Int](repeating: 0, count: graph.vertices.count - other.inputLatency.count)
    inputLatency = other.inputLatency + further
    outputLatency = other.outputLatency + further
    totalLatency = other.totalLatency
  }

  /// By how many frames a connection is held back.
  func delay(of connection: Graph.Connection) -> Int {
    if let frames = connection.delayFrames { return frames }
    let latency =
      switch connection.sink {
      case .output: totalLatency
      case .node(let id, _): inputLatency[id.index]
      }
    return latency - self.latency(of: connection.source)
  }

  /// The nodes that are heard at the graph's outputs; those of its MIDI output too, as both are to be
  /// in time with each other.
  private static func sounding(_ graph: Graph) -> [Graph.NodeID] {
    let audio = graph.connections.compactMap { connection -> Graph.NodeID? in
      guard case .output = connection.sink, case .node(let id, _) = connection.source else {
        return nil
      }
      return id
    }
    let events = graph.eventConnections.compactMap { connection -> Graph.NodeID? in
      guard case .output = connection.sink, case .node(let id) = connection.source else {
        return nil
      }
      return id
    }
    return audio + events
  }

  /// How late the messages of a source are, in frames.
  func latency(of source: Graph.EventSource) -> Int {
    switch source {
    case .input: 0
    case .node(let id): outputLatency[id.index]
    }
  }

  /// How late the sound of a source is, in frames.
  func latency(of source: Graph.Source) -> Int {
    switch source {
    case .input: 0
    case .node(let id, _): outputLatency[id.index]
    }
  }

  private static func predecessors(_ graph: Graph) -> [[Int]] {
    var predecessors = [Set<Int>](repeating: [], count: graph.vertices.count)
    for connection in graph.connections {
      if case .node(let from, _) = connection.source, case .node(let to, _) = connection.sink {
        predecessors[to.index].insert(from.index)
      }
    }
    for connection in graph.eventConnections {
      if case .node(let from) = connection.source, case .node(let to) = connection.sink {
        predecessors[to.index].insert(from.index)
      }
    }
    return predecessors.map { $0.sorted() }
  }

  /// Kahn's algorithm with the ready nodes kept in the order in which they were added.
  private static func sort(
    _ graph: Graph, _ predecessors: [[Int]]
  ) throws(GraphError) -> [Int] {
    var waitingFor = predecessors.map(\.count)
    var successors = [[Int]](repeating: [], count: predecessors.count)
    for (node, before) in predecessors.enumerated() {
      for other in before { successors[other].append(node) }
    }
    var ready = waitingFor.indices.filter { waitingFor[$0] == 0 }
    var order: [Int] = []
    order.reserveCapacity(predecessors.count)
    while order.count < ready.count {
      let node = ready[order.count]
      order.append(node)
      for next in successors[node] {
        waitingFor[next] -= 1
        if waitingFor[next] == 0 { ready.append(next) }
      }
    }
    guard order.count == predecessors.count else {
      // A gain that moves is no node of the person's.
      let named = circle(predecessors, waitingFor).filter {
        !(graph.vertices[$0].node is GainAutomationNode)
      }
      throw .loop(nodes: named.map { graph.vertices[$0].name })
    }
    return order
  }

  /// Walks backwards among the nodes that still wait until one comes up again.
  private static func circle(_ predecessors: [[Int]], _ waitingFor: [Int]) -> [Int] {
    var path: [Int] = []
    var node = waitingFor.firstIndex { $0 > 0 }
    while let current = node {
      if let start = path.firstIndex(of: current) {
        let backwards = Array(path[start...].reversed())
        // Begins with the node that was added first, so that the sentence does not depend on the walk.
        let first = backwards.enumerated().min { $0.element < $1.element }?.offset ?? 0
        return Array(backwards[first...] + backwards[..<first])
      }
      path.append(current)
      node = predecessors[current].first { waitingFor[$0] > 0 }
    }
    return path
  }
}
