// Graph.swift: nodes and connections, as they are edited. SPDX-License-Identifier: MIT

package import PluginModel

/// Nodes and the connections between their ports: what is edited, not what is rendered.
///
/// Channels are counted from 0 here; people see them counted from 1. Several connections into one
/// sink are summed. A `GraphCompiler` turns a graph into something that can be rendered.
package struct Graph {
  /// Names a node within its graph.
  package struct NodeID: Hashable, Sendable {
    let index: Int
  }

  /// One channel that can be listened to.
  package enum Source: Hashable, Sendable {
    /// A channel that the driver captures.
    case input(channel: Int)
    /// An audio output of a node.
    case node(NodeID, channel: Int)
  }

  /// One channel that can be fed.
  package enum Sink: Hashable, Sendable {
    /// A channel that the driver plays.
    case output(channel: Int)
    /// An audio input of a node.
    case node(NodeID, channel: Int)
  }

  /// One source feeding one sink.
  package struct Connection: Hashable, Sendable {
    /// Where the sound comes from.
    package var source: Source
    /// Where it goes.
    package var sink: Sink
    /// Linear gain; 1 passes every bit unchanged.
    package var gain: Float
    /// What the gain comes from when the program is taken over; the same as `gain` where nothing fades.
    var startGain: Float
    /// Frames by which it is held back; nil for as many as line it up with what goes there too.
    var delayFrames: Int?
  }

  /// A node with its name.
  struct Vertex {
    let name: String
    let node: any Node
  }

  /// Channels that come in from the driver.
  package let inputChannelCount: Int
  /// Channels that go out to the driver.
  package let outputChannelCount: Int
  /// In the order in which they were added.
  private(set) var vertices: [Vertex] = []
  /// In the order in which they were made; a sum is formed in this order.
  package private(set) var connections: [Connection] = []
  /// Those that carry MIDI, in the order in which they were made.
  package internal(set) var eventConnections: [EventConnection] = []
  /// What moves parameters, by node.
  var automations: [ObjectIdentifier: NodeAutomation] = [:]
  /// Where in `connections` the one between two ends is.
  private var places: [Ends: Int] = [:]

  private struct Ends: Hashable {
    let source: Source
    let sink: Sink
  }

  /// A graph without nodes, whose outputs are silent. [main]
  package init(inputChannelCount: Int, outputChannelCount: Int) {
    self.inputChannelCount = inputChannelCount
    self.outputChannelCount = outputChannelCount
  }

  /// A graph of what other graphs are made of.
  init(
    inputChannelCount: Int, outputChannelCount: Int, vertices: [Vertex],
    connections: [Connection], eventConnections: [EventConnection]
  ) {
    self.inputChannelCount = inputChannelCount
    self.outputChannelCount = outputChannelCount
    self.vertices = vertices
    self.connections = connections
    self.eventConnections = eventConnections
  }

  /// The nodes in the order in which they were added.
  package var nodes: [(id: NodeID, name: String, node: any Node)] {
    vertices.enumerated().map { (NodeID(index: $0.offset), $0.element.name, $0.element.node) }
  }

  /// Adds a node under a name for people. [main]
  package mutating func add(_ node: any Node, named name: String) -> NodeID {
    vertices.append(Vertex(name: name, node: node))
    return NodeID(index: vertices.count - 1)
  }

  /// Connects a source to a sink; a connection that is there already gets the gains' sum.
  ///
  /// It is held back so that it lines up with what goes there too, or by `delayFrames` where that is said.
  /// - Throws: `GraphError.noSuchChannel` if either end does not exist. [main]
  package mutating func connect(
    _ source: Source, to sink: Sink, gain: Float = 1, delayFrames: Int? = nil
  ) throws(GraphError) {
    try check(source)
    try check(sink)
    let ends = Ends(source: source, sink: sink)
    if let index = places[ends] {
      connections[index].gain += gain
      connections[index].startGain += gain
    } else {
      places[ends] = connections.count
      connections.append(
        Connection(
          source: source, sink: sink, gain: gain, startGain: gain, delayFrames: delayFrames))
    }
  }

  private func check(_ source: Source) throws(GraphError) {
    switch source {
    case .input(let channel):
      guard 0 ..< inputChannelCount ~= channel else {
        throw .noSuchChannel(end: "in", channel: channel, available: inputChannelCount)
      }
    case .node(let id, let channel):
      let vertex = vertices[id.index]
      guard 0 ..< vertex.node.audioOutputCount ~= channel else {
        throw .noSuchChannel(
          end: "\(vertex.name)'s outputs", channel: channel,
          available: vertex.node.audioOutputCount)
      }
    }
  }

  private func check(_ sink: Sink) throws(GraphError) {
    switch sink {
    case .output(let channel):
      guard 0 ..< outputChannelCount ~= channel else {
        throw .noSuchChannel(end: "out", channel: channel, available: outputChannelCount)
      }
    case .node(let id, let channel):
      let vertex = vertices[id.index]
      guard 0 ..< vertex.node.audioInputCount ~= channel else {
        throw .noSuchChannel(
          end: "\(vertex.name)'s inputs", channel: channel, available: vertex.node.audioInputCount)
      }
    }
  }
}

extension Graph.Connection {
  /// Whether anything comes through, now or at the end of a fade.
  var isHeard: Bool { gain != 0 || startGain != 0 }
}
