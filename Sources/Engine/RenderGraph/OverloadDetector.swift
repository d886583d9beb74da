// OverloadDetector.swift: detects a node that is about to cause dropouts. SPDX-License-Identifier:
// MIT
//
// Real-time code: see RenderEngine.swift for its rules.

/// Detects overload by a single node from the times of whole blocks, which are known anyway: plain
/// data.
///
/// While blocks take less than three quarters of their period, nothing else is done. Above that,
/// nodes are timed. A block is late if it takes more than 95 percent, because the driver needs the
/// rest.
///
/// A node is blamed for a late block if it took more time than all other nodes together, if the
/// block would have been in time without it, and if its thread was not interrupted. The node is
/// overloaded if it is blamed for several late blocks in a row that together are late by a whole
/// period. A node that is slow once is ignored, and so is a graph that is too slow as a whole.
struct OverloadDetector: BitwiseCopyable {
  /// The share of a period above which nodes are timed.
  private static var alertLoad: Float { @_noLocks get { 0.75 } }
  /// The share of a period above which a block is late.
  private static var lateLoad: Float { @_noLocks get { 0.95 } }
  /// The number of blocks in which nodes are timed after an alert.
  private static var watchBlockCount: Int { @_noLocks get { 64 } }

  /// The node that was blamed last, by its index among the guarded ones; -1 for none.
  private(set) var suspect = -1
  /// The number of late blocks in a row for which it was blamed, and their total lateness in
  /// periods.
  private var lateBlocks = 0
  private var debt: Float = 0
  private var timedBlocks = 0
  /// The number of late blocks in a row that is an overload: higher if interruptions cannot be
  /// detected.
  private let overloadedBlockLimit: Int

  /// Creates a detector without a history.
  init(detectsPreemption: Bool) { overloadedBlockLimit = detectsPreemption ? 3 : 8 }

  /// Whether nodes are timed in the block that begins. [render]
  var timesNodes: Bool { @_noLocks get { timedBlocks > 0 } }

  /// Records the share of its period that a block took.
  ///
  /// Returns whether a node must be blamed. [render]
  @_noLocks
  mutating func isLate(_ load: Float) -> Bool {
    let wasTimed = timedBlocks > 0
    if load > Self.alertLoad {
      timedBlocks = Self.watchBlockCount
    } else if wasTimed {
      timedBlocks &-= 1
    }
    if load > Self.lateLoad { return wasTimed }
    resetSuspicion()
    return false
  }

  /// Blames the node that took longest in a late block, in shares of the period.
  ///
  /// Returns whether it is overloaded. [render]
  @_noLocks
  mutating func attributeOverload(_ node: Int, _ nodeLoad: Float, of load: Float) -> Bool {
    guard nodeLoad > load - nodeLoad, load - nodeLoad < Self.lateLoad else {
      resetSuspicion()
      return false
    }
    if node != suspect {
      resetSuspicion()
      suspect = node
    }
    lateBlocks &+= 1
    debt += load - Self.lateLoad
    return lateBlocks >= overloadedBlockLimit && debt >= 1
  }

  /// Clears the suspicion. [render]
  @_noLocks
  mutating func resetSuspicion() {
    (suspect, lateBlocks, debt) = (-1, 0, 0)
  }
}
