// RigFollower.swift: notices when a rig's file is saved. SPDX-License-Identifier: MIT

import Foundation
import ModuleBuild
import Synchronization

/// Watches a rig's file on a thread of its own.
package final class RigFollower: Sendable {
  private let file: String
  private let watch: FileWatch
  private let hasChanged = Atomic<Bool>(false)
  private let onChange: @Sendable () -> Void

  /// Begins to watch; nil where the system has no more watches. [main]
  ///
  /// - Parameters:
  ///   - file: the rig's path.
  ///   - onChange: called on another thread when the file has been saved.
  package init?(_ file: String, onChange: @escaping @Sendable () -> Void) {
    guard let watch = FileWatch() else { return nil }
    self.file = file
    self.watch = watch
    self.onChange = onChange
    let facts = FileFacts([file])
    Thread.detachNewThread { [self] in follow(from: facts) }
  }

  /// Whether the file has been saved since the last call. [any]
  package func takeChange() -> Bool { hasChanged.exchange(false, ordering: .acquiring) }

  /// Watches no longer. [any]
  package func stop() { watch.stop() }

  private func follow(from facts: FileFacts) {
    var known = facts
    while let facts = watch.waitForChange(of: [file], since: known) {
      known = facts
      hasChanged.store(true, ordering: .releasing)
      onChange()
    }
  }
}
