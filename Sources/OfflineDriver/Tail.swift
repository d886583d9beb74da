// Tail.swift: where the sound after the end of the input ends. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit

/// Keeps what follows the input until it is known whether anything but silence comes after it.
///
/// The end is decided frame by frame, so it does not depend on the length of the blocks.
struct Tail: ~Copyable {
  private let threshold: Float
  private let holdFrames: Int
  private let maximumFrames: Int
  private let pending: PlanarBuffer
  private var pendingCount = 0
  private var taken = 0
  /// Whether the end has been found.
  private(set) var isOver: Bool

  init(
    _ settings: RenderSettings.Tail, sampleRateHz: Double, channelCount: Int, blockFrames: Int
  ) {
    switch settings {
    case .seconds(let seconds):
      // Below the threshold is nothing: everything is kept.
      threshold = -1
      holdFrames = 1
      maximumFrames = Int((seconds * sampleRateHz).rounded())
    case .untilSilent(let level, let holdSeconds, let maximumSeconds):
      threshold = level
      holdFrames = max(1, Int((holdSeconds * sampleRateHz).rounded()))
      maximumFrames = Int((maximumSeconds * sampleRateHz).rounded())
    }
    pending = PlanarBuffer(
      channelCount: channelCount, frameCapacity: holdFrames + blockFrames)
    isOver = maximumFrames <= 0
  }

  /// Takes frames `start` to `start + count` of the output; hands to `append` what is to be kept.
  mutating func take(
    _ output: borrowing PlanarBuffer, from start: Int, _ count: Int,
    append: (UnsafePointer<UnsafeMutablePointer<Float>>, Int) throws -> Void
  ) throws {
    let length = min(count, maximumFrames - taken)
    let first = pendingCount
    for channel in 0 ..< pending.channelCount {
      (pending[channel] + first).update(from: output[channel] + start, count: length)
    }
    pendingCount += length
    taken += length
    let kept = scan(from: first)
    if kept > 0 {
      try append(pending.channels, kept)
      drop(kept)
    }
    if pendingCount >= holdFrames || taken == maximumFrames { isOver = true }
  }

  /// How many of the pending frames are followed, or are, a loud one that still counts.
  private func scan(from first: Int) -> Int {
    var kept = 0
    for frame in first ..< pendingCount where isLoud(frame) {
      if frame - kept >= holdFrames { break }
      kept = frame + 1
    }
    return kept
  }

  private func isLoud(_ frame: Int) -> Bool {
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
