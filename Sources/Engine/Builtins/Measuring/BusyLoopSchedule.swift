// BusyLoopSchedule.swift: schedules a simulated load, and measures lateness.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// Computes when the simulated load of each block ends, from the times that the caller passes.
///
/// Each block spends a share of its time, as plugins would. But a block that has missed its
/// deadline, or would miss it, is not loaded any further: it would show nothing new, and would
/// drive the device from one xrun into the next. The lateness is then compensated slowly: after a
/// miss the load pauses for 200 times the lost time.
///
/// Lateness is never overestimated, so no block that meets its deadline is spared.
package struct BusyLoopSchedule: BitwiseCopyable, Sendable {
  /// The part of a block's time by which lateness is forgotten: more than any card's clock may be slow, as
  /// that is no lateness.
  private static var overrunDecay: Double { @_noLocks get { 0.005 } }

  private let nanosecondsPerFrame: Double
  private let load: Double
  /// The total number of blocks that a block may be late.
  private let spareBlocks: Double
  /// When the last block began; 0 before the first one.
  private var lastBeginning: UInt64 = 0
  /// The duration of the last block, in nanoseconds.
  private var lastDuration: UInt64 = 0
  /// The lateness of the last block compared with the earliest ones, in nanoseconds.
  private var lateness = 0.0
  /// By how much the block began later than its predecessor's length after it, in nanoseconds; 0 for
  /// not at all.
  package private(set) var delay: UInt64 = 0

  /// Creates a schedule that spends a fraction `load` of the time, 0 to 1, on a device with `periodCount`
  /// periods, at least 2. [main]
  package init(sampleRateHz: Double, load: Double, periodCount: Int) {
    nanosecondsPerFrame = 1e9 / sampleRateHz
    self.load = min(1, max(0, load))
    // One of them is the block itself.
    spareBlocks = Double(max(2, periodCount) - 1)
  }

  /// Records that a block begins at `now`, in nanoseconds; returns when its load ends. [render]
  @_noLocks
  package mutating func begin(at now: UInt64, frameCount: Int) -> UInt64 {
    let duration = nanosecondsPerFrame * Double(frameCount)
    let isFirst = lastBeginning == 0
    let due = isFirst ? now : lastBeginning &+ lastDuration
    delay = now > due ? now &- due : 0
    let shift = now > due ? Double(now &- due) : -Double(due &- now)
    lateness = max(0, lateness + shift - Self.overrunDecay * duration)
    lastBeginning = now
    lastDuration = UInt64(duration)
    let left = max(0, spareBlocks * duration - lateness)
    return now &+ UInt64(min(duration * load, left))
  }
}
