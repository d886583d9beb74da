// FrameRing.swift: whole frames from one thread to another without a lock. SPDX-License-Identifier: MIT

import Synchronization

/// A ring of planar frames with one writer and one reader.
///
/// A block is added completely or not at all. A block that does not fit becomes a gap, whose
/// position and length the reader receives, so that it can insert the same length of silence. After
/// a gap the ring accepts blocks again once a quarter of it is free: one long gap is better than
/// many short ones.
package struct FrameRing: ~Copyable {
  /// The next segment for the reader.
  package enum Segment: Equatable {
    /// `count` frames, contiguous in `rows` from `start`.
    case frames(start: Int, count: Int)
    /// `count` frames are missing here.
    case gap(count: Int)
  }

  private struct Gap: BitwiseCopyable {
    var position: Int
    var frameCount: Int
  }

  private static let gapCapacity = 64

  /// Samples in a frame.
  package let channelCount: Int
  /// The capacity, in frames.
  package let capacity: Int
  /// A buffer of `capacity` samples for each channel.
  ///
  /// The reader may read the span that `next` returned. [reader]
  package let buffers: UnsafePointer<UnsafeMutablePointer<Float>>

  private let storage: UnsafeMutablePointer<Float>
  private let gaps: UnsafeMutablePointer<Gap>
  /// Frames written and read since the start, without gaps; they wrap only after millennia.
  private let written = Atomic<Int>(0)
  private let consumed = Atomic<Int>(0)
  private let gapsWritten = Atomic<Int>(0)
  private let gapsConsumed = Atomic<Int>(0)
  /// The frames of the current gap.
  private let openGap = Atomic<Int>(0)
  private let lost = Atomic<Int>(0)

  /// Creates a ring for `frameCount` frames and touches its memory.
  ///
  /// Both numbers are at least 1. [main]
  package init(channelCount: Int, frameCount: Int) {
    self.channelCount = channelCount
    capacity = frameCount
    storage = .allocate(capacity: channelCount * frameCount)
    storage.initialize(repeating: 0, count: channelCount * frameCount)
    let rows = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channelCount)
    for channel in 0 ..< channelCount {
      (rows + channel).initialize(to: storage + channel * frameCount)
    }
    self.buffers = UnsafePointer(rows)
    gaps = .allocate(capacity: Self.gapCapacity)
    gaps.initialize(repeating: Gap(position: 0, frameCount: 0), count: Self.gapCapacity)
  }

  deinit {
    storage.deallocate()
    buffers.deallocate()
    gaps.deallocate()
  }

  /// The number of lost frames so far. [any]
  package var lostFrameCount: Int { lost.load(ordering: .relaxed) }

  /// The number of frames from the writer so far, including lost ones. [any]
  package var offeredFrameCount: Int {
    written.load(ordering: .relaxed) + lost.load(ordering: .relaxed)
  }

  // MARK: - Writing

  /// Returns whether a block of this many frames fits now. [writer]
  @_noLocks
  package func hasRoom(for frameCount: Int) -> Bool {
    // Pairs with the releasing store in `drop`: only frames that were read are overwritten.
    let free =
      capacity &- (written.load(ordering: .relaxed) &- consumed.load(ordering: .acquiring))
    guard openGap.load(ordering: .relaxed) > 0 else { return frameCount <= free }
    let noted = gapsWritten.load(ordering: .relaxed) &- gapsConsumed.load(ordering: .acquiring)
    return frameCount <= free && free >= capacity / 4 && noted < Self.gapCapacity
  }

  /// Adds a block, given as channel buffers; returns false if it does not fit and is lost. [writer]
  @_noLocks
  package func write(
    _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Bool {
    guard hasRoom(for: frameCount) else {
      // No atomic addition is needed, because there is only one writer.
      openGap.store(openGap.load(ordering: .relaxed) &+ frameCount, ordering: .relaxed)
      lost.store(lost.load(ordering: .relaxed) &+ frameCount, ordering: .relaxed)
      return false
    }
    let position = written.load(ordering: .relaxed)
    commitGap(at: position)
    for channel in 0 ..< channelCount {
      copyIntoRing(
        channels[channel], buffers[channel], at: position % capacity, capacity: capacity,
        count: frameCount)
    }
    // Pairs with the acquiring load in `next`: the frames, and the gap before them, are complete.
    written.store(position &+ frameCount, ordering: .releasing)
    return true
  }

  @_noLocks
  private func commitGap(at position: Int) {
    let frameCount = openGap.load(ordering: .relaxed)
    guard frameCount > 0 else { return }
    let index = gapsWritten.load(ordering: .relaxed)
    gaps[index % Self.gapCapacity] = Gap(position: position, frameCount: frameCount)
    gapsWritten.store(index &+ 1, ordering: .releasing)
    openGap.store(0, ordering: .relaxed)
  }

  // MARK: - Reading

  /// The number of frames read so far. [any]
  package var consumedFrameCount: Int {
    @_noLocks get { consumed.load(ordering: .relaxed) }
  }

  /// The number of frames written so far. [any]
  package var writtenFrameCount: Int {
    @_noLocks get { written.load(ordering: .acquiring) }
  }

  /// Frames that are there to be taken. [reader]
  package var heldFrameCount: Int {
    @_noLocks get { writtenFrameCount &- consumedFrameCount }
  }

  /// Returns the next segment, at most `limit` frames; nil if there is none. [reader]
  @_noLocks
  package func next(atMost limit: Int) -> Segment? {
    let position = consumed.load(ordering: .relaxed)
    // Read first: a gap before these frames was recorded before they were.
    var end = written.load(ordering: .acquiring)
    let index = gapsConsumed.load(ordering: .relaxed)
    if index < gapsWritten.load(ordering: .acquiring) {
      let gap = gaps[index % Self.gapCapacity]
      if gap.position == position { return .gap(count: gap.frameCount) }
      end = min(end, gap.position)
    }
    let start = position % capacity
    // A minimum of three numbers would allocate an array.
    let count = min(limit, min(end &- position, capacity &- start))
    return count > 0 ? .frames(start: start, count: count) : nil
  }

  /// Releases the room of the span that `next` returned. [reader]
  @_noLocks
  package func drop(_ piece: Segment) {
    switch piece {
    case .frames(_, let count):
      // Pairs with the acquiring load in `hasRoom`.
      consumed.store(consumed.load(ordering: .relaxed) + count, ordering: .releasing)
    case .gap:
      gapsConsumed.store(gapsConsumed.load(ordering: .relaxed) + 1, ordering: .releasing)
    }
  }

  /// Skips all frames before a position that has been written and contains no gaps. [reader]
  @_noLocks
  package func drop(before position: Int) {
    // Pairs with the acquiring load in `hasRoom`.
    if position > consumedFrameCount { consumed.store(position, ordering: .releasing) }
  }

  /// The number of frames that were lost since the last one that fitted. [reader]
  package var lastGapFrameCount: Int { openGap.load(ordering: .relaxed) }
}
