// Graph+Events.swift: the connections that carry MIDI. SPDX-License-Identifier: MIT

import PluginModel

extension Graph {
  /// A source of MIDI.
  package enum EventSource: Hashable, Sendable {
    /// The engine's MIDI input.
    case input
    /// A node that sends MIDI.
    case node(NodeID)
  }

  /// A sink of MIDI.
  package enum EventSink: Hashable, Sendable {
    /// The engine's MIDI output.
    case output
    /// A node that takes MIDI.
    case node(NodeID)
  }

  /// A MIDI connection from one source to one sink.
  package struct EventConnection: Hashable, Sendable {
    /// The source of the messages.
    package var source: EventSource
    /// The sink of the messages.
    package var sink: EventSink
  }

  /// Connects MIDI.
  ///
  /// Several sources of one sink are merged in the order of their frames. An existing connection is
  /// not duplicated. [main]
  ///
  /// - Throws: `GraphError.noEvents` if the source node sends no MIDI or the sink node takes none.
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
