// DuplexPolling.swift: waits for the devices and checks their state. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. It only waits for the
// devices and the stop signal. Results are 0 or a negative errno value.

import CALSA
import Glibc
import RealtimeKit

/// The number of empty wake-ups after which the device's descriptors are ignored.
private var maximumEmptyWakeups: Int { @_noLocks get { 8 } }

/// Waits for the directions that are not ready, or for the stop signal; `isHardware` is false for
/// alsa-lib plugins.
@inline(__always)
@_noLocks
func waitForDevices(
  _ state: UnsafeMutablePointer<DuplexState>, isHardware: Bool
) -> Int32 {
  state.pointee.emptyWakeups &+= 1
  if state.pointee.emptyWakeups > maximumEmptyWakeups { return sleepWithoutPolling(state) }
  let forInput = state.pointee.readyFrames < state.pointee.periodFrames
  let waitsForSpace = state.pointee.roomFrames < state.pointee.periodFrames
  let stopIndex = state.pointee.stopIndex
  let first = forInput ? 0 : stopIndex
  let end = waitsForSpace ? state.pointee.descriptorCount : stopIndex &+ 1
  let ready = calsa_poll(
    state.pointee.descriptors + first, UInt32(truncatingIfNeeded: end &- first),
    Int32(truncatingIfNeeded: state.pointee.longestWaitMilliseconds))
  if ready <= 0 { return recordWaitTimeout(state, ready) }
  let isFaulty =
    isHardware
    ? pollReportsError(
      Int32(state.pointee.descriptors[0].revents)
        | Int32(state.pointee.descriptors[state.pointee.descriptorCount &- 1].revents))
    : pluginPollReportsError(state, forInput: forInput, waitsForSpace: waitsForSpace)
  return isFaulty ? streamError(state) : 0
}

/// Waits without the descriptors: a plugin whose descriptor is always ready would cause a busy
/// loop.
@inline(never)
@_noLocks
private func sleepWithoutPolling(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let quarter = 250 * Double(state.pointee.periodFrames) / state.pointee.sampleRateHz
  let status = sleepUnlessStopped(state, milliseconds: max(1, Int(quarter)))
  return status < 0 ? status : diagnoseWaitTimeout(state)
}

/// Handles a wait that timed out (0) or failed.
@inline(never)
@_noLocks
private func recordWaitTimeout(_ state: UnsafeMutablePointer<DuplexState>, _ ready: Int32) -> Int32
{
  if ready < 0 { return ready }
  state.pointee.waitedMilliseconds &+= state.pointee.longestWaitMilliseconds
  return diagnoseWaitTimeout(state)
}

/// Returns why the streams do not run, or ETIME if they stalled for no reported reason.
@_noLocks
private func diagnoseWaitTimeout(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
  let status = streamError(state)
  return status == 0 && state.pointee.isStalled ? -ETIME : status
}

/// Returns whether the descriptors report more than a ready direction.
///
/// Only they and the state report a device that was unplugged or suspended. The number of available
/// frames does not show it. A card has one descriptor for each direction, the first and the last.
/// The stop signal, which has no faults, replaces a missing direction.
@inline(__always)
@_noLocks
private func pollReportsError(_ events: Int32) -> Bool {
  events & (POLLERR | POLLHUP | POLLNVAL) != 0
}

/// Does the same for alsa-lib plugins, which translate and clear their descriptors when they are
/// queried.
@inline(never)
@_noLocks
private func pluginPollReportsError(
  _ state: UnsafeMutablePointer<DuplexState>, forInput: Bool, waitsForSpace: Bool
) -> Bool {
  var events: Int32 = 0
  if forInput, let side = state.pointee.capture { events |= pollEvents(state, side) }
  if waitsForSpace, let side = state.pointee.playback { events |= pollEvents(state, side) }
  return pollReportsError(events)
}

@_noLocks
private func pollEvents(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: UnsafePointer<PCMStream>
) -> Int32 {
  calsa_poll_events(
    side.pointee.handle, state.pointee.descriptors + side.pointee.firstDescriptor,
    UInt32(truncatingIfNeeded: side.pointee.descriptorCount))
}

/// Returns 0 if the streams run, otherwise the reason as a negative errno value.
@inline(never)
@_noLocks
private func streamError(_ state: UnsafeMutablePointer<DuplexState>) -> Int32 {
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
  state.pointee.suspectsPlayback = state.pointee.readyFrames >= state.pointee.periodFrames
  return state.pointee.waitedMilliseconds >= state.pointee.timeoutMilliseconds ? -ETIMEDOUT : 0
}

/// Waits only for the stop signal.
@_noLocks
func sleepUnlessStopped(_ state: UnsafeMutablePointer<DuplexState>, milliseconds: Int) -> Int32 {
  let status = calsa_poll(
    state.pointee.descriptors + state.pointee.stopIndex, 1, Int32(truncatingIfNeeded: milliseconds))
  if status == 0 { state.pointee.waitedMilliseconds &+= milliseconds }
  return min(0, status)
}

// MARK: - Stream state

/// Returns 0 for a running stream, otherwise the reason as a negative errno value.
@_noLocks
func streamStatus(_ side: UnsafePointer<PCMStream>) -> Int32 {
  switch calsa_state(side.pointee.handle) {
  case Int32(SND_PCM_STATE_DISCONNECTED.rawValue): -ENODEV
  case Int32(SND_PCM_STATE_SUSPENDED.rawValue): -ESTRPIPE
  case Int32(SND_PCM_STATE_RUNNING.rawValue): 0
  // An xrun, or a stream that another component has stopped.
  default: -EPIPE
  }
}
