// Tail.swift: finds the end of the tail after the input. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// Holds frames after the input until a frame follows that is not silent.
///
/// The end is decided frame by frame, so it does not depend on the length of the blocks. Some LV2
/// plugins cut their own tail at the end of a block. With `gridFrames`, a tail continues with
/// silence up to a multiple of that number. So the length does not depend on where it was cut.
struct Tail: ~Copyable {
  private let threshold: Float
  private let holdFrames: Int
  private let gridFrames: Int
  let maximumFrames: Int
  private let pending: PlanarBuffer
  private var pendingCount = 0
  private var taken = 0
  private var kept = 0
  /// Whether the end was found.
  private(set) var isOver: Bool

  init(
    _ settings: RenderSettings.Tail, gridFrames: Int = 1, sampleRateHz: Double, channelCount: Int,
    blockFrames: Int
  ) {
    self.gridFrames = max(1, gridFrames)
    switch settings {
    case .seconds(let seconds):
      // No level is below this threshold: everything is kept.
      threshold = -1
      holdFrames = 1
      maximumFrames = Int((seconds * sampleRateHz).rounded())
    case .untilSilent(let level, let holdSeconds, let maximumSeconds):
      threshold = level
      holdFrames = max(1, Int((holdSeconds * sampleRateHz).rounded()))
      maximumFrames = Int((maximumSeconds * sampleRateHz).rounded())
    }
    pending = PlanarBuffer(
      channelCount: channelCount, frameCapacity: max(holdFrames + blockFrames, self.gridFrames))
    isOver = maximumFrames <= 0
  }

  /// Whether the tail was cut at its maximum, before it was silent.
  var isCut: Bool { threshold >= 0 && taken == maximumFrames && pendingCount < holdFrames }

  /// Takes frames `start` to `start + count` of the output, and passes the frames to keep to
  /// `append`.
  mutating func append(
    _ output: ChannelBuffers, from start: Int, _ count: Int,
    append: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) throws -> Void
  ) throws {
    let length = min(count, maximumFrames - taken)
    let first = pendingCount
    for channel in 0 ..< pending.channelCount {
      (pending[channel] + first).update(from: output[channel] + start, count: length)
    }
    pendingCount += length
    taken += length
    let count = scan(from: first)
    if count > 0 {
      try append(pending.channels, count)
      kept += count
      drop(count)
    }
    guard pendingCount >= holdFrames || taken == maximumFrames else { return }
    isOver = true
    let padding = paddingFrames
    guard padding > 0 else { return }
    // The pending frames are silent, but not always zero: where a plugin cuts them depends on the block length.
    for channel in 0 ..< pending.channelCount {
      pending[channel].update(repeating: 0, count: padding)
    }
    try append(pending.channels, padding)
  }

  /// The number of frames from the end to the grid; 0 for a tail of a given length.
  private var paddingFrames: Int {
    guard threshold > 0, kept > 0 else { return 0 }
    let excess = kept % gridFrames
    return min(excess > 0 ? gridFrames - excess : 0, maximumFrames - kept)
  }

  /// Returns how many of the pending frames are loud or followed by a loud frame in time.
  private func scan(from first: Int) -> Int {
    var kept = 0
    for frame in first ..< pendingCount where isAboveThreshold(frame) {
      if frame - kept >= holdFrames { break }
      kept = frame + 1
    }
    return kept
  }

  private func isAboveThreshold(_ frame: Int) -> Bool {
    for channel in 0 ..< pending.channelCount
    where !(pending[channel][frame].magnitude <= threshold) {
      return true
    }
    return false
  }

  private mutating func drop(_ count: Int) {
    pendingCount -= count
    let byteCount = pendingCount * MemoryLayout<Float>.stride
    for channel in 0 ..< pending.channelCount {
      memmove(pending[channel], pending[channel] + count, byteCount)
    }
  }
}
