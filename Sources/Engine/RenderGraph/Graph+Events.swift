// Graph+Events.swift: the connections that carry MIDI. SPDX-License-Identifier: MIT

import PluginModel

extension Graph {
  /// What MIDI can be heard from.
  package enum EventSource: Hashable, Sendable {
    /// What the engine is given.
    case input
    /// A node that sends MIDI.
    case node(NodeID)
  }

  /// What takes MIDI.
  package enum EventSink: Hashable, Sendable {
    /// What the engine hands out.
    case output
    /// A node that takes MIDI.
    case node(NodeID)
  }

  /// One source of MIDI feeding one sink.
  package struct EventConnection: Hashable, Sendable {
    /// Where the messages come from.
    package var source: EventSource
    /// Where they go.
    package var sink: EventSink
  }

  /// Connects MIDI; several sources of one sink are merged in the order of their frames, and a
  /// connection that is there already stays one.
  ///
  /// - Throws: `GraphError.noEvents` if a node has no such end. [main]
  package mutating func connectEvents(
    _ source: EventSource, to sink: EventSink
  ) throws(GraphError) {
    if case .node(let id) = source, vertices[id.index].node.eventOutput == nil {
      throw .noEvents(node: vertices[id.index].name, isInput: false)
    }
    if case .node(let id) = sink, vertices[id.index].node.eventInput == nil {
      throw .noEvents(node: vertices[id.index].name, isInput: true)
    }
    let connection = EventConnection(source: source, sink: sink)
    if !eventConnections.contains(connection) { eventConnections.append(connection) }
  }
}
