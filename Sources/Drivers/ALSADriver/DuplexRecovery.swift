// DuplexRecovery.swift: starting, stopping, and starting again after a fault. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. Results are 0 or a negative
// errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit

/// The number of consecutive starts that may fail, or last less than a period, before the device is
/// reopened: a third of a second.
private var mostFruitlessRestarts: Int { @_noLocks get { 6 } }

/// Makes the streams run from silence; the whole of it is needed after each fault, too.
@_noLocks
func startStreams(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  dropStreams(state)
  state.pointee.beginAnew()
  var status = prepareStreams(state)
  if status < 0 { return status }
  if let side = state.pointee.playback {
    state.pointee.suspectsPlayback = true
    status = playSilence(side, frameCount: side.pointee.filledFrames)
    if status < 0 { return status }
  }
  // A link starts both; a stream that then runs already is left alone.
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

/// Gets both streams ready, alone, and links them again.
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

/// Ends both streams at once; harmless in any state.
@_noLocks
func dropStreams(_ state: UnsafeMutablePointer<DuplexState>) {
  if let side = state.pointee.playback { _ = calsa_drop(side.pointee.handle) }
  if let side = state.pointee.capture { _ = calsa_drop(side.pointee.handle) }
}

/// Plays what was rendered before a stop, for a quarter of a second at most.
@_noLocks
func playOut(_ state: UnsafeMutablePointer<DuplexState>) {
  guard let side = state.pointee.playback, streamStatus(side) == 0 else { return }
  let queued =
    side.pointee.bufferFrames
    &- min(
      side.pointee.bufferFrames,
      max(0, calsa_available(side.pointee.handle, side.pointee.isWatched)))
  let milliseconds = 1_000 * Double(queued) / state.pointee.sampleRateHz
  // No descriptors: a mere sleep, as the stop signal has been raised already.
  _ = calsa_poll(state.pointee.descriptors, 0, Int32(min(250, milliseconds)))
}

/// Gets over a fault; 0 if sound flows again (or nobody wants it any more), or what makes it hopeless.
@_noLocks
func recover(_ state: UnsafeMutablePointer<DuplexState>, from first: Int32) -> Int32 {
  var fault = first
  // A server may need time to serve a stream that was connected again.
  if !state.pointee.isHardware, state.pointee.steadyPeriods > 0 { putOnTrial(state) }
  while fault != 0 {
    if fault == -ESTRPIPE { fault = awaitResume(state) }
    if isGone(state) { return -ENODEV }
    if isHopeless(fault) { return fault }
    state.pointee.fruitlessRestarts &+= 1
    // A device that runs out at once, every time, moves no sound.
    if state.pointee.fruitlessRestarts > mostFruitlessRestarts {
      return fault == -EPIPE || fault == 0 ? -ETIMEDOUT : fault
    }
    // The first attempt is made at once. If it failed, the next attempts wait.
    if state.pointee.fruitlessRestarts > 1 { _ = rest(state, milliseconds: 50) }
    if state.pointee.driver.pointee.stop.isRaised { return 0 }
    fault = startStreams(state)
  }
  // Of devices on trial the interruption is not over yet.
  if !state.pointee.isOnTrial { countLoss(state) }
  // The time of waiting for the device to return does not show that the device is dead.
  state.pointee.waitedMilliseconds = 0
  state.pointee.emptyWakeups = 0
  return 0
}

/// Returns whether no restart helps but reopening may.
@_noLocks
private func isHopeless(_ fault: Int32) -> Bool {
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
  var tries = 0
  while streamStatus(side) == -ESTRPIPE, !state.pointee.driver.pointee.stop.isRaised {
    let status = calsa_resume(side.pointee.handle)
    if status == -ENODEV { return status }
    if status != -EAGAIN { return 0 }
    tries &+= 1
    if tries > 200 { return -ETIMEDOUT }
    _ = rest(state, milliseconds: 50)
  }
  return 0
}

/// Returns whether a device is no longer there.
///
/// A device that is linked to a lost device reports the same.
@_noLocks
private func isGone(_ state: UnsafeMutablePointer<DuplexState>) -> Bool {
  let gone = Int32(SND_PCM_STATE_DISCONNECTED.rawValue)
  if let side = state.pointee.capture, calsa_state(side.pointee.handle) == gone {
    state.pointee.suspectsPlayback = false
    return true
  }
  if let side = state.pointee.playback, calsa_state(side.pointee.handle) == gone {
    state.pointee.suspectsPlayback = true
    return true
  }
  return false
}
