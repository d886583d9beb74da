// NewestRequest.swift: one request at a time, of which the newest counts. SPDX-License-Identifier: MIT

/// Keeps one request open, such as the search for a text, and after it only the newest that was made meanwhile. [main]
final class NewestRequest {
  private var isOpen = false
  private var next: (() -> Void)?

  /// Whether no newer request waits.
  var isNewest: Bool { next == nil }

  /// Calls `request` now, or after the open one; an older request that waits is dropped.
  func begin(_ request: @escaping () -> Void) {
    guard !isOpen else { return next = request }
    isOpen = true
    request()
  }

  /// Records the end of the open request.
  func end() {
    guard let request = next.take() else { return isOpen = false }
    request()
  }
}
