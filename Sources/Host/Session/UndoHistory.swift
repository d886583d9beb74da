// UndoHistory.swift: previous rigs of a session. SPDX-License-Identifier: MIT

/// The undo and redo history.
struct UndoHistory {
  /// A limit, to bound memory in long sessions.
  private static let longest = 200
  private var past: [PreparedRig] = []
  private var future: [PreparedRig] = []
  /// The number of changes to the history.
  private(set) var number = 0

  /// The rig before the last change; nil if there is none.
  var previous: PreparedRig? { past.last }
  /// The rig that was undone last; nil if there is none.
  var following: PreparedRig? { future.last }

  /// Adds a change to a new rig.
  mutating func record(_ rig: PreparedRig) {
    past.append(rig)
    past.removeFirst(max(0, past.count - Self.longest))
    future = []
    number += 1
  }

  /// Moves back by one change.
  mutating func recordUndo(of rig: PreparedRig) {
    number += 1
    past.removeLast()
    future.append(rig)
  }

  /// Moves forward by one change.
  mutating func recordRedo(from rig: PreparedRig) {
    number += 1
    future.removeLast()
    past.append(rig)
  }
}
