// Preroll.swift: the last seconds before a recording starts. SPDX-License-Identifier: MIT

/// The most recent frames, interleaved, in memory that is allocated once.
final class Preroll {
  private let channelCount: Int
  private let capacity: Int
  private let frames: UnsafeMutablePointer<Float>
  private var next = 0
  private var storedFrames = 0

  /// Creates room for this number of frames, 0 for none.
  init(channelCount: Int, frameCount: Int) {
    self.channelCount = channelCount
    capacity = frameCount
    frames = .allocate(capacity: channelCount * frameCount)
    // Initialised, so that locked memory is resident from now on.
    frames.initialize(repeating: 0, count: channelCount * frameCount)
  }

  deinit { frames.deallocate() }

  /// Adds frames and drops the oldest ones. [writer]
  func add(_ samples: UnsafePointer<Float>, frameCount: Int) {
    guard capacity > 0 else { return }
    var done = max(0, frameCount - capacity)
    while done < frameCount {
      let count = min(frameCount - done, capacity - next)
      (frames + next * channelCount).update(
        from: samples + done * channelCount, count: count * channelCount)
      next = (next + count) % capacity
      done += count
    }
    storedFrames = min(capacity, storedFrames + frameCount)
  }

  /// Passes the held frames to `body`, the oldest first, in one or two pieces. [writer]
  func forEach(_ body: (UnsafePointer<Float>, _ frameCount: Int) -> Void) {
    guard storedFrames > 0 else { return }
    let start = (next - storedFrames + capacity) % capacity
    let first = min(storedFrames, capacity - start)
    body(frames + start * channelCount, first)
    if first < storedFrames { body(frames, storedFrames - first) }
  }
}
