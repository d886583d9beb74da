// PipeThread.swift: threads that read and write pipes. SPDX-License-Identifier: MIT

import RealtimeKit

extension RealtimeThread {
  /// An ordinary thread on behalf of an object that outlives it: nothing hurries but the pipe. [main]
  static func ordinary(
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
