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

/// Renders one period if both directions are ready for it, or else waits for what is missing.
@_noLocks
func advance(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  var lacksInput = false
  var lacksRoom = false
  if let side = state.pointee.capture {
    state.pointee.suspectsPlayback = false
    let status = continueCapture(state, side)
    if status != 0 { return status }
    lacksInput = state.pointee.capturedFrames < state.pointee.periodFrames
  }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    let ready = continuePlayback(state, side)
    if ready < 0 { return ready }
    lacksRoom = ready == 0
  }
  if lacksInput || lacksRoom { return wait(state, forInput: lacksInput, forRoom: lacksRoom) }
  renderCycle(
    state.pointee.driver, state.pointee.periodFrames,
    lateFrames: Double(state.pointee.lateFrames))
  let now = noteProgress(state)
  state.pointee.capturedFrames = 0
  if state.pointee.isHardware, state.pointee.pace.note(state.pointee.periodFrames, at: now) {
    return -EDOM
  }
  guard let side = state.pointee.playback else { return 0 }
  state.pointee.unplayedFrames = state.pointee.periodFrames
  return playFrames(state, side)
}

/// Takes the period that was captured, once all of it is there.
@_noLocks
private func continueCapture(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide
) -> Int32 {
  let missing = state.pointee.periodFrames &- state.pointee.capturedFrames
  if missing == 0 { return streamStatus(side) }
  let available = availableFrames(side)
  if available < 0 { return Int32(truncatingIfNeeded: available) }
  state.pointee.lateFrames = available &- missing
  return available >= missing ? captureFrames(state, side) : 0
}

/// Finishes the last period; 1 if there is room for the next one, 0 if not yet.
@_noLocks
private func continuePlayback(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide
) -> Int32 {
  let available = availableFrames(side)
  if available < 0 { return Int32(truncatingIfNeeded: available) }
  if state.pointee.unplayedFrames > 0 {
    let status = playFrames(state, side)
    return status
  }
  // More than the buffer holds: a plug-in's way of saying that it ran dry.
  if available > side.bufferFrames { return -EPIPE }
  // Whatever the size of the buffer, no more lies in it than was asked for.
  let spare = side.bufferFrames &- side.filledFrames
  let late = available &- spare &- state.pointee.periodFrames
  if state.pointee.capture == nil { state.pointee.lateFrames = late }
  return late >= 0 ? 1 : 0
}

@_noLocks
private func noteProgress(_ state: UnsafeMutablePointer<DuplexState>) -> UInt64 {
  let now = crealtime_nanoseconds()
  state.pointee.driver.pointee.lastProgress = now
  if state.pointee.steadyPeriods < 100 { noteFirstPeriods(state) }
  state.pointee.waitedMilliseconds = 0
  state.pointee.emptyWakeups = 0
  state.pointee.fruitlessRestarts = 0
  return now
}

@_noLocks
private func noteFirstPeriods(_ state: UnsafeMutablePointer<DuplexState>) {
  state.pointee.steadyPeriods &+= 1
  state.pointee.driver.pointee.hasDelivered.store(true, ordering: .relaxed)
  if state.pointee.steadyPeriods == 100 {
    state.pointee.driver.pointee.isSteady.store(true, ordering: .relaxed)
  }
}

// MARK: - Between the devices and the engine

/// Captures what is still missing of the period, as far as it is there.
@_noLocks
private func captureFrames(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int32
{
  while state.pointee.capturedFrames < state.pointee.periodFrames {
    let moved = readFrames(
      side, offset: state.pointee.capturedFrames,
      wanted: state.pointee.periodFrames &- state.pointee.capturedFrames)
    if moved <= 0 { return Int32(truncatingIfNeeded: moved) }
    state.pointee.capturedFrames &+= moved
  }
  return 0
}

/// Plays what is left of the rendered period, as far as there is room.
@_noLocks
private func playFrames(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int32 {
  while state.pointee.unplayedFrames > 0 {
    var clipped = 0
    let moved = writeFrames(
      side, offset: state.pointee.periodFrames &- state.pointee.unplayedFrames,
      wanted: state.pointee.unplayedFrames, clipped: &clipped)
    if moved <= 0 { return Int32(truncatingIfNeeded: moved) }
    noteClipped(state.pointee.driver, clipped)
    state.pointee.unplayedFrames &-= moved
  }
  return 0
}

// MARK: - What a device says

/// Frames that can be moved, or a negative errno value.
@_noLocks
private func availableFrames(_ side: StreamSide) -> Int {
  // Only the state tells of a device that was unplugged or suspended: the number of frames that are
  // available stays a number.
  let status = streamStatus(side)
  return status < 0 ? Int(status) : calsa_available(side.handle)
}

/// 0 for a stream that runs, or what keeps it from running as a negative errno value.
@_noLocks
func streamStatus(_ side: StreamSide) -> Int32 {
  switch calsa_state(side.handle) {
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
  state.pointee.suspectsPlayback = !forInput
  if state.pointee.waitedMilliseconds >= state.pointee.patienceMilliseconds { return -ETIMEDOUT }
  state.pointee.emptyWakeups &+= 1
  if state.pointee.emptyWakeups > patienceWithDescriptors {
    // A plug-in whose descriptor is always ready would have us spin.
    let quarter = 250 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz
    return rest(state, milliseconds: max(1, Int(quarter)))
  }
  let stopIndex = state.pointee.capture?.descriptorCount ?? 0
  let first = forInput ? 0 : stopIndex
  let end = forRoom ? state.pointee.descriptorCount : stopIndex &+ 1
  let ready = calsa_poll(
    state.pointee.descriptors + first, UInt32(truncatingIfNeeded: end &- first),
    Int32(truncatingIfNeeded: longestWaitMilliseconds))
  if ready < 0 { return ready }
  if ready == 0 { state.pointee.waitedMilliseconds &+= longestWaitMilliseconds }
  // Plug-ins clear their descriptors here; what the device says is asked for afterwards.
  if forInput, let side = state.pointee.capture { translateEvents(state, side) }
  if forRoom, let side = state.pointee.playback { translateEvents(state, side) }
  return 0
}

@_noLocks
private func translateEvents(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) {
  _ = calsa_poll_events(
    side.handle, state.pointee.descriptors + side.firstDescriptor,
    UInt32(truncatingIfNeeded: side.descriptorCount))
}

/// Waits for the stop signal alone.
@_noLocks
func rest(_ state: UnsafeMutablePointer<DuplexState>, milliseconds: Int) -> Int32 {
  let stopIndex = state.pointee.capture?.descriptorCount ?? 0
  let status = calsa_poll(
    state.pointee.descriptors + stopIndex, 1, Int32(truncatingIfNeeded: milliseconds))
  if status == 0 { state.pointee.waitedMilliseconds &+= milliseconds }
  return min(0, status)
}
