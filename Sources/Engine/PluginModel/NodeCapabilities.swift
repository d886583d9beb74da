// NodeCapabilities.swift: capabilities of nodes besides rendering. SPDX-License-Identifier: MIT

/// The optional capabilities of a node: nil or false for those that it lacks.
///
/// Programs query them and never cast a node to a type, so a wrapper can pass on those of the node that it wraps. The
/// values are valid as long as the node. [main]
package struct NodeCapabilities {
  /// Keeps its state as bytes.
  package var state: (any StatefulNode)?
  /// Keeps its state in a directory.
  package var directoryState: (any DirectoryStateNode)?
  /// Takes over the state of another instance.
  package var stateTransfer: (any StateTransferNode)?
  /// Loads and saves presets.
  package var presets: (any PresetNode)?
  /// Has properties.
  package var properties: (any PropertyNode)?
  /// Reports values.
  package var readouts: (any ReadoutNode)?
  /// Writes log messages.
  package var log: (any LoggingNode)?
  /// Accepts a new block length of the host.
  package var blockLength: (any BlockLengthObserver)?
  /// Renders nodes after it together with itself.
  package var chain: (any ChainableNode)?
  /// How it is adapted to the graph; nil if it runs at the graph's rate and block lengths.
  package var adaptation: NodeAdaptation?
  /// Whether `setParameter` may be called on any thread while the node exists, because each value is an atomic.
  package var takesParametersOnAnyThread = false
  /// Capabilities that only some layers know, by their type.
  private var others: [ObjectIdentifier: AnyObject] = [:]

  /// No capabilities.
  package init() {}

  /// The object of a type that a higher layer defines, such as a `Recording`; nil if the node has none. [main]
  package subscript<Capability: AnyObject>(_ type: Capability.Type) -> Capability? {
    get { others[ObjectIdentifier(type)].map { unsafeDowncast($0, to: type) } }
    set { others[ObjectIdentifier(type)] = newValue }
  }
}

/// How the host adapts a plugin that needs other blocks or another rate than the graph has.
package struct NodeAdaptation: Sendable, Equatable {
  /// The part of the node's `latencyFrames` that the adaptation adds.
  package var latencyFrames: Int
  /// The blocks that the plugin gets, in frames; nil if it takes those of the graph.
  package var blockFrames: Int?
  /// The rate at which the plugin runs, in Hz; nil for that of the graph.
  package var rateHz: Double?

  /// An adaptation that adds a latency.
  package init(latencyFrames: Int, blockFrames: Int? = nil, rateHz: Double? = nil) {
    (self.latencyFrames, self.blockFrames, self.rateHz) = (latencyFrames, blockFrames, rateHz)
  }
}
