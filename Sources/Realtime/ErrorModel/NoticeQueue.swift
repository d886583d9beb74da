// NoticeQueue.swift: notices that wait for a report. SPDX-License-Identifier: MIT

import Synchronization

/// Notices since the last report, oldest first. [any]
///
/// The oldest are dropped if too many wait.
package final class NoticeQueue: Sendable {
  private static let maximumCount = 1_000

  private let notices = Mutex<[HostNotice]>([])

  /// Creates an empty queue.
  package init() {}

  /// Adds a notice.
  package func append(_ notice: HostNotice) { append(contentsOf: [notice]) }

  /// Adds notices.
  package func append(contentsOf more: [HostNotice]) {
    notices.withLock { notices in
      notices += more
      notices.removeFirst(max(0, notices.count - Self.maximumCount))
    }
  }

  /// Returns the notices and removes them.
  package func take() -> [HostNotice] {
    notices.withLock { notices in
      defer { notices = [] }
      return notices
    }
  }
}
