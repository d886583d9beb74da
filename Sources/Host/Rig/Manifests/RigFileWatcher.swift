// RigFileWatcher.swift: notices when a rig's file is saved, or one that stands in it. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ModuleBuild
import RealtimeKit
import Synchronization

/// Watches a rig's file on a thread of its own.
package final class RigFileWatcher: Sendable {
  private let file: String
  private let watch: FileWatcher
  private let hasChanged = Atomic<Bool>(false)
  private let onChange: @Sendable () -> Void

  /// Begins to watch; nil where the system has no more watches. [main]
  ///
  /// - Parameters:
  ///   - file: the rig's path.
  ///   - onChange: called on another thread when the file has been saved.
  package init?(_ file: String, onChange: @escaping @Sendable () -> Void) {
    guard let watch = FileWatcher() else { return nil }
    self.file = file
    self.watch = watch
    self.onChange = onChange
    // Rigs that stand in it are parts of it.
    let files = RigReader.files(of: file)
    let facts = FileStamps(files)
    _ = DetachedThread.start { [self] in follow(files, from: facts) }
  }

  /// Whether the file has been saved since the last call. [any]
  package func takeChange() -> Bool { hasChanged.exchange(false, ordering: .acquiring) }

  /// Watches no longer. [any]
  package func stop() { watch.stop() }

  private func follow(_ first: [String], from facts: FileStamps) {
    var (files, known) = (first, facts)
    while watch.waitForChange(of: files, since: known) != nil {
      // Looked at before the rig is read, so that what is saved meanwhile is read once more.
      files = RigReader.files(of: file)
      known = FileStamps(files)
      hasChanged.store(true, ordering: .releasing)
      onChange()
    }
  }
}
