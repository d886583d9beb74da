// SoftwareClock.swift: the system clock for devices without a clock. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. It waits for the system clock
// and the stop signal.

import CRealtime
import RealtimeKit

/// Slows devices without a clock down to their rate: they accept or deliver audio as fast as
/// possible.
///
/// Otherwise the audio thread would never wait, and would use a whole processor. Some of these
/// devices are known beforehand; others accept more frames than any buffer holds.
struct SoftwareClock: BitwiseCopyable {
  /// How far a server may be ahead of the elapsed time after its start or a pause, in seconds.
  private static var allowanceSeconds: Double { @_noLocks get { 30 } }

  /// Whether the system clock clocks the graph.
  private(set) var clocksGraph: Bool
  private let nanosecondsPerFrame: Double
  /// How far devices with a clock may be ahead, in frames.
  private let allowanceFrames: Int
  private let isKnown: Bool
  private var began: UInt64 = 0
  private var frames = 0

  /// Creates a clock that clocks the graph from the start if the devices are known to have no
  /// clock. [main]
  init(rateHz: Double, bufferFrames: Int, isKnown: Bool) {
    nanosecondsPerFrame = 1e9 / rateHz
    allowanceFrames = 4 * bufferFrames + Int(Self.allowanceSeconds * rateHz)
    clocksGraph = isKnown
    self.isKnown = isKnown
  }

  /// Restarts the clock after an interruption. [render]
  @_noLocks
  mutating func restart() {
    began = 0
    frames = 0
  }

  /// Records that the devices were waited for: they have a clock. [render]
  @_noLocks
  mutating func recordWait() { clocksGraph = isKnown }

  /// Whether the clock has counted a period since it was started.
  var hasBegun: Bool { @_noLocks get { began != 0 } }

  /// The time of the next frame in nanoseconds, if the system clock clocks the graph. [render]
  var due: UInt64 {
    @_noLocks get { began &+ UInt64(Double(frames) * nanosecondsPerFrame) }
  }

  /// Records transferred frames. [render]
  @_noLocks
  mutating func record(_ frameCount: Int, at now: UInt64) {
    if began == 0 { began = now }
    frames &+= frameCount
    if clocksGraph { return }
    let moved = Int(Double(now &- began) / nanosecondsPerFrame)
    if frames &- moved > allowanceFrames {
      clocksGraph = true
      (began, frames) = (now, 0)
    } else if moved > allowanceFrames {
      // Their clock is not the system clock: the difference must not accumulate.
      (began, frames) = (now, 0)
    }
  }

  /// Restarts the clock at a time, after the thread was delayed. [render]
  @_noLocks
  mutating func skip(to now: UInt64) { (began, frames) = (now, 0) }
}

/// Waits until the next period of the clock is due, or a stop is requested. [render]
@inline(never)
@_noLocks
func awaitClock(_ state: UnsafeMutablePointer<DuplexState>) {
  let driver = state.pointee.driver
  // In parts, so that a long period does not delay a stop.
  let longest: UInt64 = 20_000_000
  let due = state.pointee.clock.due
  var now = crealtime_nanoseconds()
  while now < due, !driver.pointee.stop.isRaised {
    crealtime_sleep_until(min(due, now &+ longest))
    now = crealtime_nanoseconds()
  }
}

/// Counts a period. [render]
///
/// Periods that were missed while the thread was delayed are skipped; nothing audible is lost.
@inline(never)
@_noLocks
func recordAtClock(_ state: UnsafeMutablePointer<DuplexState>, _ now: UInt64) {
  let period = UInt64(1e9 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz)
  if state.pointee.clock.clocksGraph, state.pointee.clock.hasBegun,
    now > state.pointee.clock.due &+ period
  {
    state.pointee.clock.skip(to: now)
  }
  state.pointee.clock.record(state.pointee.periodFrames, at: now)
}
