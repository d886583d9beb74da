// ProcessGroups.swift: process groups that must not outlive this process. SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The process groups of compilers, which do not end with this process.
package enum ProcessGroups {
  private static let groupLeaders = Mutex<Set<Int32>>([])

  /// Adds the group that a process leads. [any]
  package static func add(_ leader: Int32) { _ = groupLeaders.withLock { $0.insert(leader) } }

  /// Removes a group before its leader is reaped, after which the ID may be reused. [any]
  package static func remove(_ leader: Int32) { _ = groupLeaders.withLock { $0.remove(leader) } }

  /// Kills all groups, because this process ends now. [any]
  package static func killAll() {
    groupLeaders.withLock { for leader in $0 { kill(-leader, SIGKILL) } }
  }
}
