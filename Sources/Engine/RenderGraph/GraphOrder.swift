// GraphOrder.swift: the order in which nodes are rendered, and their latencies.
// SPDX-License-Identifier: MIT

import PluginModel

/// The order of the nodes, and the latency at each of them.
struct GraphOrder {
  /// The nodes, each after all nodes that feed it; otherwise in the order in which they were added.
  let order: [Int]
  /// The latency at each node's inputs after alignment, in frames; indexed by node.
  let inputLatency: [Int]
  /// The latency at each node's outputs, in frames; indexed by node.
  let outputLatency: [Int]
  /// The latency at the graph's outputs, in frames.
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
    totalLatency = Self.audibleNodes(graph).map { outputLatency[$0.index] }.max() ?? 0
  }

  /// Sorts a graph whose first nodes are those of `other`.
  ///
  /// Connections between those nodes keep their delays from `other`.
  init(_ graph: Graph, lateAs other: GraphOrder) throws(GraphError) {
    order = try Self.sort(graph, Self.predecessors(graph))
    let further = [Int](repeating: 0, count: graph.vertices.count - other.inputLatency.count)
    inputLatency = other.inputLatency + further
    outputLatency = other.outputLatency + further
    totalLatency = other.totalLatency
  }

  /// Returns the delay that aligns a connection, in frames.
  func delay(of connection: Graph.Connection) -> Int {
    if let frames = connection.delayFrames { return frames }
    let latency =
      switch connection.sink {
      case .output: totalLatency
      case .node(let id, _): inputLatency[id.index]
      }
    return latency - self.latency(of: connection.source)
  }

  /// Returns the nodes that reach the graph's audio or MIDI outputs, which are aligned with each
  /// other.
  private static func audibleNodes(_ graph: Graph) -> [Graph.NodeID] {
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

  /// Returns the latency of a MIDI source, in frames.
  func latency(of source: Graph.EventSource) -> Int {
    switch source {
    case .input: 0
    case .node(let id): outputLatency[id.index]
    }
  }

  /// Returns the latency of an audio source, in frames.
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

  /// Kahn's algorithm; ready nodes are taken in the order in which they were added.
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
      // The node of an automated gain is internal: the user has not named it.
      let named = findCycle(predecessors, waitingFor).filter {
        !(graph.vertices[$0].node is GainAutomationNode)
      }
      throw .loop(nodes: named.map { graph.vertices[$0].name })
    }
    return order
  }

  /// Walks backwards through the waiting nodes until a node occurs twice.
  private static func findCycle(_ predecessors: [[Int]], _ waitingFor: [Int]) -> [Int] {
    var path: [Int] = []
    var node = waitingFor.firstIndex { $0 > 0 }
    while let current = node {
      if let start = path.firstIndex(of: current) {
        let backwards = Array(path[start...].reversed())
        // Begins with the node that was added first, so that the message does not depend on the
        // walk.
        let first = backwards.enumerated().min { $0.element < $1.element }?.offset ?? 0
        return Array(backwards[first...] + backwards[..<first])
      }
      path.append(current)
      node = predecessors[current].first { waitingFor[$0] > 0 }
    }
    return path
  }
}
