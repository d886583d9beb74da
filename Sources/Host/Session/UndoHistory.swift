// UndoHistory.swift: the rigs that a run was before. SPDX-License-Identifier: MIT

/// What can be taken back, and taken back again.
struct UndoHistory {
  /// A run of weeks must not fill the memory.
  private static let longest = 200
  private var past: [PreparedRig] = []
  private var future: [PreparedRig] = []
  /// How often it has changed.
  private(set) var number = 0

  /// The rig before the last change; nil where nothing was changed.
  var previous: PreparedRig? { past.last }
  /// The rig that was taken back last; nil where none was.
  var following: PreparedRig? { future.last }

  /// Notes that a rig has given way to a new one.
  mutating func note(_ rig: PreparedRig) {
    past.append(rig)
    past.removeFirst(max(0, past.count - Self.longest))
    future = []
    number += 1
  }

  /// Notes that a rig has given way to the one before it.
  mutating func noteUndo(of rig: PreparedRig) {
    number += 1
    past.removeLast()
    future.append(rig)
  }

  /// Notes that a rig has given way to the one that had been taken back.
  mutating func noteRedo(from rig: PreparedRig) {
    number += 1
    future.removeLast()
    past.append(rig)
  }
}
