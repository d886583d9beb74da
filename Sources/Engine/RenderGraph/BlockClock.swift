// BlockClock.swift: maps times to frames of the stream. SPDX-License-Identifier: MIT
//
// Real-time code: see RenderEngine.swift for its rules.

/// Estimates when each block can start, without the jitter of the thread's wake-ups.
///
/// A thread may wake late but never early, so the clock follows the earliest wake-ups. A block that
/// comes early moves the clock back at once. The clock moves forward slowly, by the smallest
/// lateness within a window of blocks; or at once if several blocks in a row are very late, as
/// after an interruption. With wake-ups up to 400 us late the error is below one frame. A card that
/// is 300 ppm off shifts the clock by a constant 18 frames.
struct BlockClock: BitwiseCopyable {
  /// The earliest time at which this block could be rendered, on CLOCK_MONOTONIC, in ns.
  var blockStart: UInt64 = 0
  /// The first frame of this block, counted from the start of the stream.
  private(set) var position: UInt64 = 0
  /// The duration of one frame, in ns.
  let frameNanoseconds: Double

  private var isRunning = false
  private var frameCount = 0
  private var lateBlocks = 0
  private var minimumLateness: Int64 = .max
  /// The correction for each block, in ns, and the values from which the next one is computed.
  private var drift: Int64 = 0
  private var windowBlocks = 0
  private var windowLateness: Int64 = .max

  /// This number of late blocks in a row is an interruption, not jitter.
  private static var lateBlockLimit: Int { @_noLocks get { 4 } }

  /// The number of blocks in which the smallest lateness is searched.
  private static var window: Int { @_noLocks get { 64 } }

  /// Creates a clock before its first block. [main]
  init(sampleRateHz: Double) {
    frameNanoseconds = 1e9 / sampleRateHz
  }

  /// Records that the rendering of a block of `frameCount` frames starts at `now`. [render]
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
      // Several blocks at once, as when a buffer is filled at the start, correct the clock
      // completely.
      shift(by: lateness < -block ? lateness : lateness / 2)
      beginWindow(drift: 0)
    } else if lateness <= block / 2 {
      advance(lateness)
    } else {
      trackMinimumLateness(lateness)
    }
  }

  /// Applies the drift, and updates it after each window of blocks.
  ///
  /// Half of the measured lateness is applied, because the effect is only visible one window later:
  /// the whole of it would oscillate.
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

  /// Moves the clock to the least late of several blocks in a row that are very late.
  @_noLocks
  private mutating func trackMinimumLateness(_ lateness: Int64) {
    minimumLateness = lateBlocks == 0 ? lateness : min(minimumLateness, lateness)
    lateBlocks &+= 1
    guard lateBlocks >= Self.lateBlockLimit else { return }
    shift(by: minimumLateness)
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

  /// Returns by how many frames a time is after the start of this block; negative if it is before.
  /// [render]
  @_noLocks
  func frames(until time: UInt64) -> Double {
    Double(Int64(bitPattern: time &- blockStart)) / frameNanoseconds
  }

  /// Returns the time that is `frames` after the start of this block. [render]
  @_noLocks
  func time(ofFrame frame: Int) -> UInt64 {
    blockStart &+ UInt64(bitPattern: nanoseconds(frame))
  }
}
