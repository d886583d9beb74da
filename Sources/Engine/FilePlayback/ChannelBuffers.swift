// ChannelBuffers.swift: planar samples in memory. SPDX-License-Identifier: MIT

/// Rows of samples.
final class ChannelBuffers {
  let count: Int
  /// The buffer of each channel.
  let pointers: UnsafePointer<UnsafeMutablePointer<Float>>
  private let storage: UnsafeMutablePointer<Float>

  init(count: Int, frameCount: Int) {
    self.count = count
    storage = .allocate(capacity: max(1, count * frameCount))
    storage.initialize(repeating: 0, count: count * frameCount)
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: max(1, count))
    for row in 0 ..< count { (rows + row).initialize(to: storage + row * frameCount) }
    pointers = UnsafePointer(rows)
  }

  deinit {
    storage.deallocate()
    pointers.deallocate()
  }

  subscript(row: Int) -> UnsafeMutablePointer<Float> { pointers[row] }

  /// Replaces NaN and infinity by silence.
  ///
  /// - Returns: the number of replaced samples, and the first frame that had one.
  func silence(frameCount: Int) -> (count: Int, first: Int) {
    var (silenced, first) = (0, frameCount)
    for row in 0 ..< count {
      // Only a finite number times 0 is 0.
      var sum: Float = 0
      for frame in 0 ..< frameCount { sum += self[row][frame] * 0 }
      guard sum != 0 else { continue }
      for frame in 0 ..< frameCount where !self[row][frame].isFinite {
        self[row][frame] = 0
        silenced += 1
        first = min(first, frame)
      }
    }
    return (silenced, first)
  }
}
