// OutputFile+Start.swift: a longer start of a file that was written. SPDX-License-Identifier: MIT

import Glibc

extension OutputFile {
  /// The bytes that were written so far.
  var bytes: TruncationCheck.Bytes { .init(descriptor: descriptor, length: length) }

  /// Replaces the first `count` bytes by at least as many; all others move.
  func replaceStart(_ count: Int, with start: [UInt8]) {
    let distance = start.count - count
    var piece = [UInt8](repeating: 0, count: 1_048_576)
    var end = length
    while end > count, failure == 0 {
      let from = max(count, end - piece.count)
      _ = seek(to: from)
      guard unsafe get(&piece, end - from) == end - from else {
        failure = EIO
        return
      }
      _ = seek(to: from + distance)
      _ = unsafe put(piece, end - from)
      end = from
    }
    _ = seek(to: 0)
    if failure == 0 { _ = unsafe put(start, start.count) }
  }
}
