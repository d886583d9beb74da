// DuplexLoop.swift: one period after another, clocked by the devices. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. It only waits for the
// device. Results are 0 or a negative errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// Renders one period after another, until the stop signal, a fault or a request to release the
/// devices.
///
/// Returns 0 or a negative errno value.
///
/// Code for every period is inlined here, once for cards and once for alsa-lib plugins; other code
/// is kept out of line. So a period costs little more than its alsa-lib calls (Benchmarks/driver).
@_noLocks
func renderPeriods(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  state.pointee.isHardware ? renderHardwarePeriods(state) : renderPluginPCMPeriods(state)
}

@inline(never)
@_noLocks
private func renderHardwarePeriods(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  renderPeriods(state, isHardware: true)
}

@inline(never)
@_noLocks
private func renderPluginPCMPeriods(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  renderPeriods(state, isHardware: false)
}

@inline(__always)
@_noLocks
private func renderPeriods(
  _ state: UnsafeMutablePointer<DuplexState>, isHardware: Bool
) -> Int32 {
  let driver = state.pointee.driver
  repeat {
    let status = advance(state, isHardware: isHardware)
    if status != 0 { return status }
  } while !driver.pointee.stop.isRaised && !driver.pointee.shouldRelease.load(ordering: .relaxed)
  return 0
}

/// Waits once if a direction may not be ready, and renders one period if both are ready then.
@inline(__always)
@_noLocks
private func advance(_ state: UnsafeMutablePointer<DuplexState>, isHardware: Bool) -> Int32 {
  if !isHardware, state.pointee.clock.clocksGraph { awaitClock(state) }
  if !state.pointee.isReady {
    let status = isHardware ? pollHardware(state) : pollPluginPCMs(state)
    if !isHardware, !state.pointee.isReady { state.pointee.clock.recordWait() }
    if status != 0 || !state.pointee.isReady { return status }
  }
  let periodFrames = state.pointee.periodFrames
  if let side = state.pointee.capture {
    let status = captureFrames(state, side, isHardware: isHardware)
    if status != 0 || state.pointee.capturedFrames < periodFrames { return status }
    state.pointee.capturedFrames = 0
    state.pointee.readyFrames &-= periodFrames
  }
  let now = crealtime_nanoseconds()
  renderCycle(
    state.pointee.driver, periodFrames, lateFrames: Double(state.pointee.lateFrames), at: now)
  // If several periods are ready at once, the next one is less late.
  state.pointee.lateFrames &-= periodFrames
  if let side = state.pointee.playback {
    state.pointee.pendingPlaybackFrames = periodFrames
    let status = playFrames(state, side, isHardware: isHardware)
    if status != 0 { return status }
  }
  return recordProgress(state, at: now, isHardware: isHardware)
}

/// Waits for the missing directions, and queries how many frames both have.
@_noLocks
func waitAndPoll(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  state.pointee.isHardware ? pollHardware(state) : pollPluginPCMs(state)
}

@inline(__always)
@_noLocks
private func pollHardware(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let status = waitForDevices(state, isHardware: true)
  return status != 0 ? status : pollAvailability(state, isHardware: true)
}

/// Waits if the descriptors need not report data that is already available.
@inline(never)
@_noLocks
private func pollPluginPCMs(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  if state.pointee.emptyWakeups == 0 {
    let status = pollAndTrimCapture(state)
    if status != 0 || state.pointee.isReady { return status }
  }
  let status = waitForDevices(state, isHardware: false)
  return status != 0 ? status : pollAndTrimCapture(state)
}

@inline(__always)
@_noLocks
private func pollAndTrimCapture(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let status = pollAvailability(state, isHardware: false)
  return status == 0 && state.pointee.hasCaptureBacklog ? trimCaptureBacklog(state) : status
}

/// Discards the capture data that accumulated while playback stalled, except for less than two
/// periods.
///
/// For a card this would be an xrun. A server's library keeps seconds of data and reports one
/// buffer. All later captured audio would be late by that amount as long as the stream runs.
@inline(never)
@_noLocks
private func trimCaptureBacklog(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  guard let side = state.pointee.capture, isTimedOut(state, crealtime_nanoseconds()) else {
    return 0
  }
  let driver = state.pointee.driver
  driver.pointee.inputGap.begin(after: driver.pointee.callback.inputs)
  // At most one second at once: a file never ends.
  var left = Int(state.pointee.sampleRateHz)
  while state.pointee.hasCaptureBacklog, left > 0 {
    let skipped = skipFrames(side, wanted: state.pointee.periodFrames)
    if skipped <= 0 { return attributeError(state, playback: false, skipped) }
    left &-= skipped
    let available = calsa_available(side.pointee.handle, side.pointee.isWatched)
    if available < 0 { return attributeError(state, playback: false, available) }
    state.pointee.capturedFrames = 0
    state.pointee.readyFrames = available
  }
  return 0
}

/// Queries how many frames can be transferred, and finishes a period that was not accepted
/// completely.
@inline(__always)
@_noLocks
private func pollAvailability(_ state: UnsafeMutablePointer<DuplexState>, isHardware: Bool) -> Int32
{
  if let side = state.pointee.capture {
    let available = calsa_available(side.pointee.handle, !isHardware && side.pointee.isWatched)
    if available < 0 { return attributeError(state, playback: false, available) }
    state.pointee.readyFrames = available &+ state.pointee.capturedFrames
    state.pointee.lateFrames = state.pointee.readyFrames &- state.pointee.periodFrames
  }
  if let side = state.pointee.playback {
    let available = calsa_available(side.pointee.handle, !isHardware && side.pointee.isWatched)
    if available < 0 { return attributeError(state, playback: true, available) }
    // More than the buffer holds: an alsa-lib plugin reports an underrun this way.
    if available > side.pointee.bufferFrames {
      return attributeError(state, playback: true, Int(-EPIPE))
    }
    // Regardless of the size of the buffer, it contains only the requested number of frames.
    state.pointee.roomFrames = available &- side.pointee.spareFrames
    if state.pointee.capture == nil {
      state.pointee.lateFrames = state.pointee.roomFrames &- state.pointee.periodFrames
    }
    if state.pointee.pendingPlaybackFrames > 0 { return writeRemainder(state, side) }
  }
  return 0
}

/// Returns a status and records its direction.
@inline(never)
@_noLocks
private func attributeError(
  _ state: UnsafeMutablePointer<DuplexState>, playback: Bool, _ status: Int
) -> Int32 {
  state.pointee.suspectsPlayback = playback
  return Int32(truncatingIfNeeded: status)
}

@inline(__always)
@_noLocks
private func recordProgress(
  _ state: UnsafeMutablePointer<DuplexState>, at now: UInt64, isHardware: Bool
) -> Int32 {
  // A device that stalled without an xrun has lost no frames, only time.
  if state.pointee.waitedMilliseconds > 0, isTimedOut(state, now) { recordStall(state, now) }
  state.pointee.driver.pointee.lastProgress = now
  endInterruption(state.pointee.driver)
  if state.pointee.steadyPeriods < 100 { recordFirstPeriods(state) }
  state.pointee.waitedMilliseconds = 0
  state.pointee.emptyWakeups = 0
  state.pointee.failedRestarts = 0
  if !isHardware { recordAtClock(state, now) }
  if isHardware, state.pointee.rateMonitor.record(state.pointee.periodFrames, at: now) {
    return attributeError(state, playback: state.pointee.playback != nil, Int(-EDOM))
  }
  return 0
}

@inline(never)
@_noLocks
private func recordStall(_ state: UnsafeMutablePointer<DuplexState>, _ now: UInt64) {
  let driver = state.pointee.driver
  let elapsed = now &- min(now, driver.pointee.lastProgress)
  driver.pointee.xruns.add(1, ordering: .relaxed)
  driver.pointee.lostNanoseconds.add(elapsed &- periodNanoseconds(state), ordering: .relaxed)
}

/// Returns whether no period was transferred for the time of three periods.
@inline(never)
@_noLocks
private func isTimedOut(_ state: UnsafeMutablePointer<DuplexState>, _ now: UInt64) -> Bool {
  now &- min(now, state.pointee.driver.pointee.lastProgress) >= 3 &* periodNanoseconds(state)
}

@_noLocks
private func periodNanoseconds(_ state: UnsafeMutablePointer<DuplexState>) -> UInt64 {
  UInt64(1e9 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz)
}

@inline(never)
@_noLocks
private func recordFirstPeriods(_ state: UnsafeMutablePointer<DuplexState>) {
  state.pointee.steadyPeriods &+= 1
  state.pointee.driver.pointee.hasDelivered.store(true, ordering: .relaxed)
  state.pointee.driver.pointee.isTransferring.store(true, ordering: .relaxed)
  if state.pointee.steadyPeriods == 100 {
    state.pointee.driver.pointee.isStable.store(true, ordering: .relaxed)
  }
}

// MARK: - Transfers between devices and renderer

/// Captures the contiguous part of what the period still lacks; 0 does not mean that the
/// period is complete.
@inline(__always)
@_noLocks
private func captureFrames(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>, isHardware: Bool
) -> Int32 {
  let periodFrames = state.pointee.periodFrames
  let done = state.pointee.capturedFrames
  let moved = readFrames(
    side, offset: done, wanted: periodFrames &- done,
    isWatched: !isHardware && side.pointee.isWatched)
  if moved <= 0 {
    // Fewer frames than reported: wait for the rest.
    state.pointee.readyFrames = done
    // The reported frames did not exist: trust the report less.
    if moved == 0 { state.pointee.emptyWakeups &+= 1 }
    return attributeError(state, playback: false, moved)
  }
  state.pointee.capturedFrames = done &+ moved
  return 0
}

/// Plays as much of the rendered period as fits into the buffer.
@inline(__always)
@_noLocks
private func playFrames(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>, isHardware: Bool
) -> Int32 {
  let status = writeContiguous(state, side, isWatched: !isHardware && side.pointee.isWatched)
  return status != 0 || state.pointee.pendingPlaybackFrames == 0
    ? status : writeRemainder(state, side)
}

@inline(never)
@_noLocks
private func writeRemainder(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>
) -> Int32 {
  // Nothing more is rendered before this period was played.
  while state.pointee.pendingPlaybackFrames > 0, state.pointee.roomFrames > 0 {
    let status = writeContiguous(state, side, isWatched: side.pointee.isWatched)
    if status != 0 { return status }
  }
  return 0
}

/// Plays the part of the remaining period that fits into contiguous memory.
@inline(__always)
@_noLocks
private func writeContiguous(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>, isWatched: Bool
) -> Int32 {
  var clipped = 0
  let left = state.pointee.pendingPlaybackFrames
  let moved = writeFrames(
    side, offset: state.pointee.periodFrames &- left, wanted: left, isWatched: isWatched,
    clipped: &clipped)
  if moved <= 0 {
    // Less room than reported.
    state.pointee.roomFrames = 0
    return attributeError(state, playback: true, moved)
  }
  recordClipped(state.pointee.driver, clipped)
  state.pointee.pendingPlaybackFrames = left &- moved
  state.pointee.roomFrames &-= moved
  return 0
}
