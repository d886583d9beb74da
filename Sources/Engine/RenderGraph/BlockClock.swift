// BlockClock.swift: which frame of the stream belongs to a moment. SPDX-License-Identifier: MIT
//
// A run file: see RenderEngine.swift.

/// Follows the moments at which blocks are rendered, free of the jitter of the thread's waking.
///
/// A thread wakes late, by this and that much, and never early; so the clock keeps to the earliest
/// wakings: it goes back quickly to a block that came early, and forward slowly, by what even the
/// earliest of many blocks was late, or at a bound where several in a row came very late, as after an
/// interruption. With wakings up to 400 us late it stays within a frame; a card that runs 300 ppm off
/// shifts it by 18 frames, which stay the same.
struct BlockClock: BitwiseCopyable {
  /// The moment at which this block could be rendered at the earliest, CLOCK_MONOTONIC in ns.
  private(set) var blockStart: UInt64 = 0
  /// The first frame of this block, counted from the start of the stream.
  private(set) var position: UInt64 = 0
  /// One frame, in ns.
  let frameNanoseconds: Double

  private var isRunning = false
  private var frameCount = 0
  private var lateBlocks = 0
  private var leastLateness: Int64 = .max
  /// What each block goes forward, in ns, and what the next such step is found from.
  private var drift: Int64 = 0
  private var windowBlocks = 0
  private var windowLateness: Int64 = .max

  /// So many late blocks in a row are no jitter, but an interruption.
  private static var patience: Int { @_noLocks get { 4 } }

  /// Blocks among which the earliest is looked for.
  private static var window: Int { @_noLocks get { 64 } }

  /// A clock that has not begun. [main]
  init(sampleRateHz: Double) {
    frameNanoseconds = 1e9 / sampleRateHz
  }

  /// Tells that a block of `frameCount` frames begins to be rendered `now`. [render]
  @_noLocks
  mutating func begin(now: UInt64, _ frameCount: Int) {
    position &+= UInt64(truncatingIfNeeded: self.frameCount)
    let last = nanoseconds(self.frameCount)
    self.frameCount = frameCount
    guard isRunning else {
      isRunning = true
      blockStart = now
      return
    }
    blockStart = UInt64(bitPattern: Int64(bitPattern: blockStart) &+ last)
    let lateness = Int64(bitPattern: now &- blockStart)
    let block = max(nanoseconds(frameCount), 1)
    if lateness < 0 {
      // Several blocks at once, as when a buffer is filled at the start, put it right at once.
      shift(by: lateness < -block ? lateness : lateness / 2)
      beginWindow(drift: 0)
    } else if lateness <= block / 2 {
      advance(lateness)
    } else {
      follow(lateness)
    }
  }

  /// Goes forward by the drift, and learns it from a window of blocks; by half of what was seen, as
  /// the lateness is seen a window later, and would swing otherwise.
  @_noLocks
  private mutating func advance(_ lateness: Int64) {
    lateBlocks = 0
    shift(by: drift)
    windowLateness = min(windowLateness, lateness)
    windowBlocks &+= 1
    if windowBlocks == Self.window {
      beginWindow(drift: windowLateness / Int64(2 &* Self.window))
    }
  }

  @_noLocks
  private mutating func beginWindow(drift: Int64) {
    self.drift = drift
    windowBlocks = 0
    windowLateness = .max
    lateBlocks = 0
  }

  /// Waits whether the blocks stay late, and then goes to the least late of them.
  @_noLocks
  private mutating func follow(_ lateness: Int64) {
    leastLateness = lateBlocks == 0 ? lateness : min(leastLateness, lateness)
    lateBlocks &+= 1
    guard lateBlocks >= Self.patience else { return }
    shift(by: leastLateness)
    beginWindow(drift: 0)
  }

  @_noLocks
  private mutating func shift(by nanoseconds: Int64) {
    blockStart = UInt64(bitPattern: Int64(bitPattern: blockStart) &+ nanoseconds)
  }

  @_noLocks
  private func nanoseconds(_ frames: Int) -> Int64 {
    Int64(Double(frames) * frameNanoseconds)
  }

  /// By how many frames a moment is after the start of this block; below 0 for one before. [render]
  @_noLocks
  func frames(until time: UInt64) -> Double {
    Double(Int64(bitPattern: time &- blockStart)) / frameNanoseconds
  }

  /// The moment that is so many frames after the start of this block. [render]
  @_noLocks
  func time(ofFrame frame: Int) -> UInt64 {
    blockStart &+ UInt64(bitPattern: nanoseconds(frame))
  }
}
