// SessionMirror.swift: the state of a session as a client knows it. SPDX-License-Identifier: MIT

package import HostModel

/// A copy of the state of a session, which follows its changes.
///
/// A client gives it the changes in its subscription, and those in the replies to its own commands.
package struct SessionMirror: Sendable {
  private var snapshot: Snapshot?
  /// Changes that arrived before the one that precedes them.
  private var pendingChanges: [UInt64: Event.Changed] = [:]

  /// Creates an empty copy; a snapshot fills it.
  package init() {}

  /// The state; empty before the first snapshot.
  package var state: SessionState { snapshot?.state ?? SessionState(rig: "") }

  /// The revision of the state; nil before the first snapshot.
  package var revision: UInt64? { snapshot?.revision }

  /// Takes a snapshot in place of the state.
  package mutating func restore(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    pendingChanges = [:]
  }

  /// Applies a change, and those that waited for it.
  ///
  /// - Returns: what has changed, in order; nothing for a revision that is known, or while one before it is missing.
  package mutating func apply(_ changed: Event.Changed) -> [StateChange] {
    guard var current = snapshot, changed.revision > current.revision else { return [] }
    pendingChanges[changed.revision] = changed
    var changes: [StateChange] = []
    while let next = pendingChanges.removeValue(forKey: current.revision + 1), current.apply(next) {
      changes += next.changes
    }
    snapshot = current
    return changes
  }
}
