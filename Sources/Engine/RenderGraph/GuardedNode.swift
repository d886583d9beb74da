// GuardedNode.swift: the guard's state of a node, and its checks in a block.
// SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

/// A fault of a node.
package enum NodeFault: UInt8, Sendable {
  /// The node outputs NaN or infinity.
  case invalidSamples = 1
  /// The node outputs a runaway level.
  case runaway = 2
  /// The node overloads the session: a dropout is near.
  case overload = 3
  /// The node outputs a DC offset, which reaches an output of the graph.
  case dcOffset = 4
  /// The worker process of the node failed.
  case worker = 5

  /// The name of the fault in tables and JSON. [any]
  package var word: String {
    switch self {
    case .invalidSamples: "nan"
    case .runaway: "runaway"
    case .overload: "overload"
    case .dcOffset: "dc-offset"
    case .worker: "worker"
    }
  }

  /// The value that represents the fault in atomics, never 0. [render]
  var bits: UInt8 { @_noLocks get { rawValue } }
}

/// A node of a render sequence in its guard's memory: plain data.
struct GuardedNode: BitwiseCopyable {
  /// The index of its step.
  let step: Int
  let inputCount: Int
  let outputCount: Int
  /// The outputs of the graph that the node reaches within a block, one bit each; the last bit
  /// represents all from the 64th on.
  let reachedOutputs: UInt64
  /// The number of control voltages, which are the last outputs.
  let voltageCount: Int
  /// The buffer of unconnected inputs.
  let unconnected: UnsafeMutablePointer<Float>
}

/// The checks that are made in a block: plain data.
struct WatchedNodes: BitwiseCopyable {
  /// The node that is checked in turn; -1 for none.
  var turn = -1
  /// Whether all nodes are checked.
  var watchesAllNodes = false
  /// Whether the cost of nodes is measured for a user.
  var isMeasured = false
  /// Whether each node is timed, for any reason.
  var isTimed = false
  /// Whether nodes are timed because blocks came near their deadline.
  var isAlert = false
  /// Whether the source of a DC offset is searched.
  var seeksOffset = false
  /// The node whose last samples are kept because it may be too slow; -1 for none.
  var suspect = -1
  /// The level above which a node is at fault while all are checked, linear.
  var limit: Float = 0

  /// Creates a block without checks. [render]
  @_noLocks
  init() {}

  /// Whether nodes are run one by one.
  var measuresAllNodes: Bool { @_noLocks get { watchesAllNodes || isTimed || seeksOffset } }
}
