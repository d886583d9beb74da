// Graph.swift: nodes and connections, as they are edited. SPDX-License-Identifier: MIT

package import PluginModel

/// The nodes and the connections between their ports, before they are compiled.
///
/// Channels are counted from 0 here; users see them counted from 1. Several connections into one
/// sink are summed. `GraphCompiler` compiles a graph to a render sequence.
package struct Graph {
  /// Identifies a node within its graph.
  package struct NodeID: Hashable, Sendable {
    let index: Int
  }

  /// One channel of audio that a connection can read.
  package enum Source: Hashable, Sendable {
    /// A channel that the driver captures.
    case input(channel: Int)
    /// An audio output of a node.
    case node(NodeID, channel: Int)
  }

  /// One channel of audio that a connection can write.
  package enum Sink: Hashable, Sendable {
    /// A channel that the driver plays.
    case output(channel: Int)
    /// An audio input of a node.
    case node(NodeID, channel: Int)
  }

  /// An audio connection from one source to one sink.
  package struct Connection: Hashable, Sendable {
    /// The source of the audio.
    package var source: Source
    /// The sink of the audio.
    package var sink: Sink
    /// Linear gain; 1 passes every bit unchanged.
    package var gain: Float
    /// The gain at the start of a fade to `gain`; the same as `gain` if nothing fades.
    var startGain: Float
    /// The delay in frames; nil for as many as align it with the other connections of its sink.
    var delayFrames: Int?
  }

  /// A node with its name.
  struct Vertex {
    let name: String
    let node: any Node
  }

  /// The number of channels that the driver captures.
  package let inputChannelCount: Int
  /// The number of channels that the driver plays.
  package let outputChannelCount: Int
  /// The nodes in the order in which they were added.
  private(set) var vertices: [Vertex] = []
  /// The connections in the order in which they were made, which is also the order of summing.
  package private(set) var connections: [Connection] = []
  /// The MIDI connections in the order in which they were made.
  package internal(set) var eventConnections: [EventConnection] = []
  /// The automations, by node.
  var automations: [ObjectIdentifier: NodeAutomation] = [:]
  /// The index in `connections` of the connection between two ends.
  private var indices: [Ends: Int] = [:]

  private struct Ends: Hashable {
    let source: Source
    let sink: Sink
  }

  /// Creates a graph without nodes, whose outputs are silent. [main]
  package init(inputChannelCount: Int, outputChannelCount: Int) {
    self.inputChannelCount = inputChannelCount
    self.outputChannelCount = outputChannelCount
  }

  /// Creates a graph from parts of other graphs.
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

  /// Adds a node with a name for messages. [main]
  package mutating func add(_ node: any Node, named name: String) -> NodeID {
    vertices.append(Vertex(name: name, node: node))
    return NodeID(index: vertices.count - 1)
  }

  /// Connects a source to a sink; an existing connection gets the sum of both gains. [main]
  ///
  /// - Parameters:
  ///   - source: the channel that is read.
  ///   - sink: the channel that is written.
  ///   - gain: the linear gain.
  ///   - delayFrames: the delay; nil for as many frames as align it with the sink's other connections.
  /// - Throws: `GraphError.noSuchChannel` if either end does not exist.
  package mutating func connect(
    _ source: Source, to sink: Sink, gain: Float = 1, delayFrames: Int? = nil
  ) throws(GraphError) {
    try check(source)
    try check(sink)
    let ends = Ends(source: source, sink: sink)
    if let index = indices[ends] {
      connections[index].gain += gain
      connections[index].startGain += gain
    } else {
      indices[ends] = connections.count
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
  /// Whether the connection passes audio, now or at the end of a fade.
  var isAudible: Bool { gain != 0 || startGain != 0 }
}
