// ElasticBuffer.swift: frames between two clocks, interleaved. SPDX-License-Identifier: MIT

import CRealtime

/// A queue of interleaved frames that lie in one piece, for one thread.
///
/// What is left is moved to the front when the end is reached: once in as many frames as it holds,
/// so that the cost for each frame is a copy more. A ring would have to be served in two pieces.
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

  /// The oldest frame; valid until the next call that changes something.
  var oldest: UnsafeMutablePointer<Float> {
    @_noLocks get { samples + begin &* channelCount }
  }

  /// Where `count` frames, at most `roomFrames`, may be written before `commit`.
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

  /// Adds what was written at `reserve`.
  @_noLocks
  mutating func commit(_ count: Int) {
    end &+= count
  }

  /// Adds silence, at most `roomFrames`.
  @_noLocks
  mutating func appendSilence(_ count: Int) {
    crealtime_zero(reserve(count), UInt32(truncatingIfNeeded: count &* channelCount))
    commit(count)
  }

  /// Takes away the oldest `count` frames, at most `frameCount`.
  @_noLocks
  mutating func drop(_ count: Int) {
    begin &+= count
  }

  /// Takes away all but the oldest `count` frames, or nothing if there are fewer.
  @_noLocks
  mutating func keep(_ count: Int) {
    if frameCount > count { end = begin &+ count }
  }

  private var sampleCount: Int {
    @_noLocks get { (end &- begin) &* channelCount }
  }
}
