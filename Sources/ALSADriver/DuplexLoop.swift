// DuplexLoop.swift: one period after another, at the pace of the devices. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, throws or logs; it waits in one place only, for
// the device. Results are 0 or a negative errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// Renders one period if both directions are known to be ready for it, or else waits, and looks.
@_noLocks
func advance(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let periodFrames = state.pointee.periodFrames
  let lacksInput = state.pointee.capture != nil && state.pointee.readyFrames < periodFrames
  let lacksRoom = state.pointee.playback != nil && state.pointee.roomFrames < periodFrames
  if lacksInput || lacksRoom { return lookAgain(state, forInput: lacksInput, forRoom: lacksRoom) }
  if let side = state.pointee.capture {
    let status = captureFrames(state, side)
    if status != 0 { return status }
    if state.pointee.capturedFrames < periodFrames { return 0 }
  }
  renderCycle(state.pointee.driver, periodFrames, lateFrames: Double(state.pointee.lateFrames))
  state.pointee.capturedFrames = 0
  if let side = state.pointee.playback {
    state.pointee.unplayedFrames = periodFrames
    let status = playFrames(state, side)
    if status != 0 { return status }
  }
  return noteProgress(state)
}

/// Waits for what is lacking, and asks both directions how much there is.
@_noLocks
private func lookAgain(
  _ state: UnsafeMutablePointer<DuplexState>, forInput: Bool, forRoom: Bool
) -> Int32 {
  // A plug-in's descriptors need not tell of what is there already.
  if !state.pointee.isHardware, state.pointee.emptyWakeups == 0 {
    let status = look(state)
    if status != 0 || state.pointee.isReady { return status }
  }
  let status = wait(state, forInput: forInput, forRoom: forRoom)
  return status != 0 ? status : look(state)
}

/// Asks both directions how much can be moved, and finishes a period that was not taken whole.
@_noLocks
private func look(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  if let side = state.pointee.capture {
    state.pointee.suspectsPlayback = false
    let available = calsa_available(side.pointee.handle)
    if available < 0 { return Int32(truncatingIfNeeded: available) }
    state.pointee.readyFrames = available &+ state.pointee.capturedFrames
    state.pointee.lateFrames = state.pointee.readyFrames &- state.pointee.periodFrames
  }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    let available = calsa_available(side.pointee.handle)
    if available < 0 { return Int32(truncatingIfNeeded: available) }
    // More than the buffer holds: a plug-in's way of saying that it ran dry.
    if available > side.pointee.bufferFrames { return -EPIPE }
    // Whatever the size of the buffer, no more lies in it than was asked for.
    state.pointee.roomFrames = available &- side.pointee.spareFrames
    if state.pointee.capture == nil {
      state.pointee.lateFrames = state.pointee.roomFrames &- state.pointee.periodFrames
    }
    if state.pointee.unplayedFrames > 0 { return playFrames(state, side) }
  }
  return 0
}

@_noLocks
private func noteProgress(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let now = crealtime_nanoseconds()
  // A device that stood still without running dry has lost nothing but time.
  if state.pointee.waitedMilliseconds > 0 { noteStandstill(state, now) }
  state.pointee.driver.pointee.lastProgress = now
  if state.pointee.steadyPeriods < 100 { noteFirstPeriods(state) }
  state.pointee.waitedMilliseconds = 0
  state.pointee.emptyWakeups = 0
  state.pointee.fruitlessRestarts = 0
  let isAtOtherRate =
    state.pointee.isHardware && state.pointee.pace.note(state.pointee.periodFrames, at: now)
  return isAtOtherRate ? -EDOM : 0
}

@_noLocks
private func noteStandstill(_ state: UnsafeMutablePointer<DuplexState>, _ now: UInt64) {
  let driver = state.pointee.driver
  let elapsed = now &- min(now, driver.pointee.lastProgress)
  let period = UInt64(1e9 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz)
  if elapsed < 3 &* period { return }
  driver.pointee.xruns.add(1, ordering: .relaxed)
  driver.pointee.lostNanoseconds.add(elapsed &- period, ordering: .relaxed)
}

@_noLocks
private func noteFirstPeriods(_ state: UnsafeMutablePointer<DuplexState>) {
  state.pointee.steadyPeriods &+= 1
  state.pointee.driver.pointee.hasDelivered.store(true, ordering: .relaxed)
  state.pointee.driver.pointee.isFlowing.store(true, ordering: .relaxed)
  if state.pointee.steadyPeriods == 100 {
    state.pointee.driver.pointee.isSteady.store(true, ordering: .relaxed)
  }
}

// MARK: - Between the devices and the engine

/// Captures what is still missing of the period, as far as it is there.
@_noLocks
private func captureFrames(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<StreamSide>
) -> Int32 {
  state.pointee.suspectsPlayback = false
  let periodFrames = state.pointee.periodFrames
  while state.pointee.capturedFrames < periodFrames {
    let done = state.pointee.capturedFrames
    let moved = readFrames(side, offset: done, wanted: periodFrames &- done)
    if moved <= 0 {
      // Less than it said: to be waited for.
      state.pointee.readyFrames = done
      // It was said to be there: believed less and less.
      if moved == 0 { state.pointee.emptyWakeups &+= 1 }
      return Int32(truncatingIfNeeded: moved)
    }
    state.pointee.capturedFrames = done &+ moved
  }
  state.pointee.readyFrames &-= periodFrames
  return 0
}

/// Plays what is left of the rendered period, as far as there is room.
@_noLocks
private func playFrames(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<StreamSide>
) -> Int32 {
  state.pointee.suspectsPlayback = true
  while state.pointee.unplayedFrames > 0 {
    var clipped = 0
    let left = state.pointee.unplayedFrames
    let moved = writeFrames(
      side, offset: state.pointee.periodFrames &- left, wanted: left, clipped: &clipped)
    if moved <= 0 {
      // Less than it said: nothing more is rendered until this is played.
      state.pointee.roomFrames = 0
      return Int32(truncatingIfNeeded: moved)
    }
    noteClipped(state.pointee.driver, clipped)
    state.pointee.unplayedFrames = left &- moved
    state.pointee.roomFrames &-= moved
  }
  return 0
}

// MARK: - What a device says

/// 0 for a stream that runs, or what keeps it from running as a negative errno value.
@_noLocks
func streamStatus(_ side: UnsafePointer<StreamSide>) -> Int32 {
  switch calsa_state(side.pointee.handle) {
  case Int32(SND_PCM_STATE_DISCONNECTED.rawValue): -ENODEV
  case Int32(SND_PCM_STATE_SUSPENDED.rawValue): -ESTRPIPE
  case Int32(SND_PCM_STATE_RUNNING.rawValue): 0
  // An xrun, or a stream that fell back to an earlier state behind our back.
  default: -EPIPE
  }
}

// MARK: - Waiting

/// Empty wake-ups before the device's descriptors are no longer believed.
private var patienceWithDescriptors: Int { @_noLocks get { 8 } }
/// The longest single wait, in milliseconds.
private var longestWaitMilliseconds: Int { @_noLocks get { 100 } }

/// Waits for the directions that lack something, or for the stop signal.
@_noLocks
private func wait(
  _ state: UnsafeMutablePointer<DuplexState>, forInput: Bool, forRoom: Bool
) -> Int32 {
  state.pointee.emptyWakeups &+= 1
  if state.pointee.emptyWakeups > patienceWithDescriptors {
    // A plug-in whose descriptor is always ready would have us spin.
    let quarter = 250 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz
    let status = rest(state, milliseconds: max(1, Int(quarter)))
    return status < 0 ? status : examine(state, forInput: forInput)
  }
  let stopIndex = state.pointee.stopIndex
  let first = forInput ? 0 : stopIndex
  let end = forRoom ? state.pointee.descriptorCount : stopIndex &+ 1
  let ready = calsa_poll(
    state.pointee.descriptors + first, UInt32(truncatingIfNeeded: end &- first),
    Int32(truncatingIfNeeded: longestWaitMilliseconds))
  if ready < 0 { return ready }
  if ready == 0 {
    state.pointee.waitedMilliseconds &+= longestWaitMilliseconds
    return examine(state, forInput: forInput)
  }
  var isFaulty = false
  if forInput, let side = state.pointee.capture { isFaulty = tellsOfFault(state, side) }
  if forRoom, let side = state.pointee.playback, tellsOfFault(state, side) { isFaulty = true }
  return isFaulty ? examine(state, forInput: forInput) : 0
}

/// Whether a direction's descriptors tell of more than that it is ready.
///
/// Only they and the state tell of a device that was unplugged or suspended: the number of frames
/// that are available stays a number. A plug-in also clears its descriptors here.
@_noLocks
private func tellsOfFault(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<StreamSide>
) -> Bool {
  let descriptors = state.pointee.descriptors + side.pointee.firstDescriptor
  let events =
    state.pointee.isHardware
    ? Int32(descriptors.pointee.revents)
    : calsa_poll_events(
      side.pointee.handle, descriptors,
      UInt32(truncatingIfNeeded: side.pointee.descriptorCount))
  return events & (POLLERR | POLLHUP | POLLNVAL) != 0
}

/// What keeps the streams from running; 0 where they do, or a negative errno value.
@_noLocks
private func examine(_ state: UnsafeMutablePointer<DuplexState>, forInput: Bool) -> Int32 {
  if let side = state.pointee.capture {
    state.pointee.suspectsPlayback = false
    let status = streamStatus(side)
    if status != 0 { return status }
  }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    let status = streamStatus(side)
    if status != 0 { return status }
  }
  state.pointee.suspectsPlayback = !forInput
  return state.pointee.waitedMilliseconds >= state.pointee.patienceMilliseconds ? -ETIMEDOUT : 0
}

/// Waits for the stop signal alone.
@_noLocks
func rest(_ state: UnsafeMutablePointer<DuplexState>, milliseconds: Int) -> Int32 {
  let status = calsa_poll(
    state.pointee.descriptors + state.pointee.stopIndex, 1, Int32(truncatingIfNeeded: milliseconds))
  if status == 0 { state.pointee.waitedMilliseconds &+= milliseconds }
  return min(0, status)
}
