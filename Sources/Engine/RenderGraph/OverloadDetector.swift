// OverloadDetector.swift: finds the node that is about to cause dropouts. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

/// Finds a node that eats up its share of the period, from the times of whole blocks, which are known anyway: plain
/// data.
///
/// While blocks take less than three quarters of their time, that is all. From then on the nodes are timed. A
/// block is late that takes more than 95 percent: the driver needs the rest. A node is to blame for it that took
/// more than all others together, without which the block would have been in time, and which had the processor to
/// itself: a thread that was interrupted says nothing of its node. The one that is to blame for several late blocks in a row,
/// which together are late by a whole period, has eaten its share. One that is slow a single time is let alone, and
/// so is a graph that is too much as a whole.
struct OverloadDetector: BitwiseCopyable {
  /// The share of a period above which nodes are timed.
  private static var alertShare: Float { @_noLocks get { 0.75 } }
  /// That which the graph may take.
  private static var lateShare: Float { @_noLocks get { 0.95 } }
  /// So many blocks they are timed then.
  private static var alertBlocks: Int { @_noLocks get { 64 } }

  /// The node that was to blame last, by its place among the guarded ones; -1 for none.
  private(set) var suspect = -1
  /// How many late blocks it was to blame for in a row, and by how many periods they were late altogether.
  private var lateBlocks = 0
  private var debt: Float = 0
  private var timedBlocks = 0
  /// How many it takes: more, where nobody can tell whether a thread was interrupted.
  private let patience: Int

  /// One that has seen nothing.
  init(seesDisturbance: Bool) { patience = seesDisturbance ? 3 : 8 }

  /// Whether nodes are timed in the block that begins. [render]
  var timesNodes: Bool { @_noLocks get { timedBlocks > 0 } }

  /// Takes note of a block that took a share of its period; whether that, with those before, asks for
  /// somebody to blame. [render]
  @_noLocks
  mutating func isLate(_ share: Float) -> Bool {
    let wasTimed = timedBlocks > 0
    if share > Self.alertShare {
      timedBlocks = Self.alertBlocks
    } else if wasTimed {
      timedBlocks &-= 1
    }
    if share > Self.lateShare { return wasTimed }
    acquit()
    return false
  }

  /// Blames the node that took longest in a late block, in shares of the period; whether that is enough. [render]
  @_noLocks
  mutating func blame(_ node: Int, _ nodeShare: Float, of share: Float) -> Bool {
    guard nodeShare > share - nodeShare, share - nodeShare < Self.lateShare else {
      acquit()
      return false
    }
    if node != suspect {
      acquit()
      suspect = node
    }
    lateBlocks &+= 1
    debt += share - Self.lateShare
    return lateBlocks >= patience && debt >= 1
  }

  /// Forgets what speaks against anybody. [render]
  @_noLocks
  mutating func acquit() {
    (suspect, lateBlocks, debt) = (-1, 0, 0)
  }
}
