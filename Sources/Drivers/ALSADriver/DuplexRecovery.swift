// DuplexRecovery.swift: starts, stops and restarts devices. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. Results are 0 or a negative
// errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit

/// The number of consecutive starts that may fail, or last less than a period, before the device is
/// reopened: a third of a second.
private var maximumFailedRestarts: Int { @_noLocks get { 6 } }

/// Starts the streams with silence, at the beginning and after each fault.
@_noLocks
func startStreams(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  dropStreams(state)
  state.pointee.resetCounters()
  var status = prepareStreams(state)
  if status < 0 { return status }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    status = playSilence(side, frameCount: side.pointee.filledFrames)
    if status < 0 { return status }
  }
  // Linked streams start together; a stream that already runs is skipped.
  if let side = state.pointee.capture {
    state.pointee.suspectsPlayback = false
    status = calsa_start(side.pointee.handle)
    if status < 0 { return status }
  }
  if let side = state.pointee.playback, streamStatus(side) == -EPIPE {
    state.pointee.suspectsPlayback = true
    status = calsa_start(side.pointee.handle)
    if status < 0 { return status }
  }
  return 0
}

/// Prepares both streams separately, and links them again.
@_noLocks
private func prepareStreams(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  if state.pointee.isLinked, let side = state.pointee.capture {
    _ = calsa_unlink(side.pointee.handle)
  }
  if let side = state.pointee.capture {
    state.pointee.suspectsPlayback = false
    let status = calsa_prepare(side.pointee.handle)
    if status < 0 { return status }
  }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    let status = calsa_prepare(side.pointee.handle)
    if status < 0 { return status }
  }
  if state.pointee.isLinked, let capture = state.pointee.capture,
    let playback = state.pointee.playback
  {
    return min(0, calsa_link(capture.pointee.handle, playback.pointee.handle))
  }
  return 0
}

/// Stops both streams at once; has no effect on stopped streams.
@_noLocks
func dropStreams(_ state: UnsafeMutablePointer<DuplexState>) {
  if let side = state.pointee.playback { _ = calsa_drop(side.pointee.handle) }
  if let side = state.pointee.capture { _ = calsa_drop(side.pointee.handle) }
}

/// Plays the audio that was rendered before a stop, for at most a quarter of a second.
@_noLocks
func drainPlayback(_ state: UnsafeMutablePointer<DuplexState>) {
  guard let side = state.pointee.playback, streamStatus(side) == 0 else { return }
  let queued =
    side.pointee.bufferFrames
    &- min(
      side.pointee.bufferFrames,
      max(0, calsa_available(side.pointee.handle, side.pointee.isWatched)))
  let milliseconds = 1_000 * Double(queued) / state.pointee.sampleRateHz
  // Without descriptors this only sleeps, because the stop signal was already raised.
  _ = calsa_poll(state.pointee.descriptors, 0, Int32(min(250, milliseconds)))
}

/// Recovers from a fault.
///
/// Returns 0 if audio flows again or a stop was requested, otherwise the reason why it is hopeless.
@_noLocks
func recover(_ state: UnsafeMutablePointer<DuplexState>, from first: Int32) -> Int32 {
  var fault = first
  // A server may need time to serve a reconnected stream.
  if !state.pointee.isHardware, state.pointee.steadyPeriods > 0 { startProbation(state) }
  while fault != 0 {
    if fault == -ESTRPIPE { fault = awaitResume(state) }
    if isDisconnected(state) { return -ENODEV }
    if needsReopen(fault) { return fault }
    state.pointee.failedRestarts &+= 1
    // A device that has an xrun at once, every time, transfers no audio.
    if state.pointee.failedRestarts > maximumFailedRestarts {
      return fault == -EPIPE || fault == 0 ? -ETIMEDOUT : fault
    }
    // The first attempt is made at once. If it failed, the next attempts wait.
    if state.pointee.failedRestarts > 1 { _ = sleepUnlessStopped(state, milliseconds: 50) }
    if state.pointee.driver.pointee.stop.isRaised { return 0 }
    fault = startStreams(state)
  }
  // The interruption of devices on trial is not over yet.
  if !state.pointee.isOnProbation { countLoss(state) }
  // The time of waiting for the device to return does not show that the device is dead.
  state.pointee.waitedMilliseconds = 0
  state.pointee.emptyWakeups = 0
  return 0
}

/// Returns whether no restart helps but reopening may.
@_noLocks
private func needsReopen(_ fault: Int32) -> Bool {
  fault == -ENODEV || fault == -ENXIO || fault == -ETIMEDOUT || fault == -EDOM
}

/// Wakes the suspended streams.
///
/// A device that cannot continue is restarted by the code that follows.
@_noLocks
private func awaitResume(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  if let side = state.pointee.capture {
    let status = awaitResume(state, side)
    if status < 0 { return status }
  }
  guard let side = state.pointee.playback else { return 0 }
  return awaitResume(state, side)
}

@_noLocks
private func awaitResume(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>
) -> Int32 {
  // EAGAIN: the device is not yet back from its sleep.
  var attemptCount = 0
  while streamStatus(side) == -ESTRPIPE, !state.pointee.driver.pointee.stop.isRaised {
    let status = calsa_resume(side.pointee.handle)
    if status == -ENODEV { return status }
    if status != -EAGAIN { return 0 }
    attemptCount &+= 1
    if attemptCount > 200 { return -ETIMEDOUT }
    _ = sleepUnlessStopped(state, milliseconds: 50)
  }
  return 0
}

/// Returns whether a device is no longer there.
///
/// A device that is linked to a lost device reports the same.
@_noLocks
private func isDisconnected(_ state: UnsafeMutablePointer<DuplexState>) -> Bool {
  let disconnected = Int32(SND_PCM_STATE_DISCONNECTED.rawValue)
  if let side = state.pointee.capture, calsa_state(side.pointee.handle) == disconnected {
    state.pointee.suspectsPlayback = false
    return true
  }
  if let side = state.pointee.playback, calsa_state(side.pointee.handle) == disconnected {
    state.pointee.suspectsPlayback = true
    return true
  }
  return false
}
