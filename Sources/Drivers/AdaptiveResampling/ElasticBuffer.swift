// ElasticBuffer.swift: interleaved frames between two clocks. SPDX-License-Identifier: MIT

import CRealtime

/// A queue of interleaved frames in contiguous memory, for one thread.
///
/// When the end is reached, the remaining frames are moved to the front. That happens once per
/// capacity, so each frame is copied one more time on average. A ring would have to be accessed in
/// two pieces.
struct ElasticBuffer: ~Copyable {
  let channelCount: Int
  let capacityFrames: Int
  private let samples: UnsafeMutablePointer<Float>
  private var begin = 0
  private var end = 0

  /// Creates a buffer for `capacityFrames` frames and touches its memory, so that no page fault
  /// comes later. [main]
  init(channelCount: Int, capacityFrames: Int) {
    self.channelCount = channelCount
    self.capacityFrames = capacityFrames
    let sampleCount = 2 * capacityFrames * channelCount
    samples = .allocate(capacity: sampleCount)
    samples.initialize(repeating: 0, count: sampleCount)
  }

  deinit {
    samples.deallocate()
  }

  var frameCount: Int {
    @_noLocks get { end &- begin }
  }

  var roomFrames: Int {
    @_noLocks get { capacityFrames &- (end &- begin) }
  }

  /// The oldest frame; valid until the next call that modifies the queue.
  var oldest: UnsafeMutablePointer<Float> {
    @_noLocks get { samples + begin &* channelCount }
  }

  /// Returns the address for `count` frames, at most `roomFrames`, that are written before
  /// `advanceWriteIndex`.
  @_noLocks
  mutating func reserve(_ count: Int) -> UnsafeMutablePointer<Float> {
    if end &+ count > 2 &* capacityFrames {
      crealtime_move(
        samples, samples + begin &* channelCount, UInt32(truncatingIfNeeded: sampleCount))
      end &-= begin
      begin = 0
    }
    return samples + end &* channelCount
  }

  /// Adds the frames that were written to `reserve`'s address.
  @_noLocks
  mutating func advanceWriteIndex(_ count: Int) {
    end &+= count
  }

  /// Adds silence, at most `roomFrames`.
  @_noLocks
  mutating func appendSilence(_ count: Int) {
    crealtime_zero(reserve(count), UInt32(truncatingIfNeeded: count &* channelCount))
    advanceWriteIndex(count)
  }

  /// Removes the oldest `count` frames, at most `frameCount`.
  @_noLocks
  mutating func drop(_ count: Int) {
    begin &+= count
  }

  /// Removes all but the oldest `count` frames; has no effect if there are fewer.
  @_noLocks
  mutating func keep(_ count: Int) {
    if frameCount > count { end = begin &+ count }
  }

  private var sampleCount: Int {
    @_noLocks get { (end &- begin) &* channelCount }
  }
}
