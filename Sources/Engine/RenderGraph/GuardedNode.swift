// GuardedNode.swift: a guard's state of a node and its checks in a block. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

/// What is wrong with a node.
package enum NodeFault: UInt8, Sendable {
  /// It puts out what is not a number, or infinite.
  case notFinite = 1
  /// It puts out a level that only a loop that has gone wild gets to.
  case runaway = 2
  /// It takes so much time that the sound is about to break off.
  case late = 3
  /// It puts out a constant offset, which reaches an output.
  case offset = 4

  /// What it is called in a table. [any]
  package var word: String {
    switch self {
    case .notFinite: "nan"
    case .runaway: "runaway"
    case .late: "overload"
    case .offset: "dc-offset"
    }
  }

  /// What stands for it in memory, never 0. [render]
  var bits: UInt8 { @_noLocks get { rawValue } }
}

/// A node of a program as its guard knows it: plain data in memory of the guard.
struct GuardedNode: BitwiseCopyable {
  /// Its place among the steps.
  let step: Int
  let inputCount: Int
  let outputCount: Int
  /// The graph's outputs that hear it at once, one bit each; the last bit stands for all from the 64th on.
  let heardAt: UInt64
  /// How many of the outputs, the last ones, are control voltages.
  let voltageCount: Int
  /// What stands for an input that is not connected.
  let unconnected: UnsafeMutablePointer<Float>
}

/// Which nodes are looked at in a block: plain data.
struct WatchedNodes: BitwiseCopyable {
  /// The one whose turn it is; -1 where there is none.
  var turn = -1
  /// Whether all are looked at.
  var watchesAll = false
  /// Whether it is measured what they cost.
  var isMeasured = false
  /// Whether the time is taken that each needs.
  var isTimed = false
  /// Whether it is, as blocks have come near their deadline.
  var isAlert = false
  /// Whether it is looked for who puts an offset in.
  var seeksOffset = false
  /// The one whose last samples are kept, as it may be too slow; -1 for none.
  var suspect = -1
  /// Above this a node is at fault while all are looked at, linear.
  var limit: Float = 0

  /// None. [render]
  @_noLocks
  init() {}

  /// Whether nodes are run one by one.
  var isThorough: Bool { @_noLocks get { watchesAll || isTimed || seeksOffset } }
}
