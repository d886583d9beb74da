// Pipe.swift: pipes, and complete reads and writes. SPDX-License-Identifier: MIT

internal import CProcess
internal import Glibc

/// A pipe; both ends close on exec.
package struct Pipe {
  /// The descriptors of both ends.
  package let readEnd, writeEnd: Int32

  /// Creates a pipe; fails if the process has no free descriptors. [any]
  package init() throws(ProcessSpawn.Failure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe cprocess_pipe(&ends) == 0 else { throw ProcessSpawn.Failure(code: errno) }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}

/// Complete reads and writes of a descriptor.
package enum DescriptorIO {
  /// Reads until the end of the file; returns at most the first `limit` bytes. [any]
  package static func readAll(_ descriptor: Int32, limit: Int = .max) -> [UInt8] {
    var kept: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return kept }
      kept += chunk.prefix(min(count, limit - kept.count))
    }
  }

  /// Writes all bytes; false if the other end is closed or the disk is full. [any]
  ///
  /// The caller ignores or blocks SIGPIPE.
  @discardableResult
  package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var position = 0
    while position < bytes.count {
      let count = unsafe bytes[position...].withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      position += count
    }
    return true
  }
}
