// PipeThread.swift: threads that read and write pipes. SPDX-License-Identifier: MIT

import RealtimeKit

extension RealtimeThread {
  /// Creates an ordinary thread for an object that outlives it; a pipe needs no real-time priority.
  /// [main]
  static func startNormalThread(
    _ entry: Entry, of owner: some AnyObject
  ) throws(PipeError) -> RealtimeThread {
    do {
      return try RealtimeThread(
        priority: 0, entry: entry, context: Unmanaged.passUnretained(owner).toOpaque())
    } catch {
      throw .noThread
    }
  }
}
