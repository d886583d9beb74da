// BusyLoopSchedule.swift: how long a block is kept busy, and how late it is. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

/// When the burning of each block is to end, by a clock that it is told of.
///
/// A share of each block's time is spent, whatever went before, as plugins would. But a block that has
/// missed its deadline, or would while it is burnt, is not burnt any further: what could be learnt is
/// learnt, and a device that is short of time already would be driven from one xrun into the next. The
/// lateness is paid back slowly, so that after a miss the load rests 200 times as long as was lost.
///
/// Lateness is never overrated, so no block that keeps its deadline is spared.
package struct BusyLoopSchedule: BitwiseCopyable, Sendable {
  /// The part of a block's time by which lateness is forgotten: more than any card's clock may be slow, as
  /// that is no lateness.
  private static var forgottenShare: Double { @_noLocks get { 0.005 } }

  private let nanosecondsPerFrame: Double
  private let share: Double
  /// How many blocks a block may be late, all in all.
  private let spareBlocks: Double
  /// When the last block began; 0 before the first one.
  private var lastBeginning: UInt64 = 0
  /// How long the last block is, in nanoseconds.
  private var lastDuration: UInt64 = 0
  /// How late the last block was, against the earliest ones, in nanoseconds.
  private var lateness = 0.0
  /// By how much the block began later than its predecessor's length after it, in nanoseconds; 0 for
  /// not at all.
  package private(set) var delay: UInt64 = 0

  /// Spends `share` of the time, 0 to 1, on a device that holds `periodCount` periods, at least 2. [main]
  package init(sampleRateHz: Double, share: Double, periodCount: Int) {
    nanosecondsPerFrame = 1e9 / sampleRateHz
    self.share = min(1, max(0, share))
    // One of them is the block itself.
    spareBlocks = Double(max(2, periodCount) - 1)
  }

  /// Takes note that a block begins `now`, in nanoseconds; returns when its burning ends. [render]
  @_noLocks
  package mutating func begin(at now: UInt64, frameCount: Int) -> UInt64 {
    let duration = nanosecondsPerFrame * Double(frameCount)
    let isFirst = lastBeginning == 0
    let due = isFirst ? now : lastBeginning &+ lastDuration
    delay = now > due ? now &- due : 0
    let shift = now > due ? Double(now &- due) : -Double(due &- now)
    lateness = max(0, lateness + shift - Self.forgottenShare * duration)
    lastBeginning = now
    lastDuration = UInt64(duration)
    let left = max(0, spareBlocks * duration - lateness)
    return now &+ UInt64(min(duration * share, left))
  }
}
