// Transfer.swift: samples between a device's memory and the engine's. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. Results are 0 or a
// negative errno value.

import CALSA
import CRealtime
import CSamples
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// Captures what is still missing of the period, as far as it is there.
@_noLocks
func captureFrames(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int32 {
  while state.pointee.capturedFrames < state.pointee.periodFrames {
    let wanted = UInt32(
      truncatingIfNeeded: state.pointee.periodFrames &- state.pointee.capturedFrames)
    let moved =
      side.isMapped
      ? captureMapped(state, side, wanted) : captureCopied(state, side, wanted)
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    if moved == 0 { return 0 }
    state.pointee.capturedFrames &+= moved
  }
  return 0
}

@_noLocks
private func captureMapped(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide, _ wanted: UInt32
) -> Int {
  var window = calsa_window()
  let status = calsa_begin(side.handle, wanted, &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  readChannels(state, side, Int(window.frames))
  let taken = calsa_commit(side.handle, &window)
  if taken < 0 { return taken }
  return taken == Int(window.frames) ? taken : Int(-EPIPE)
}

@_noLocks
private func captureCopied(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide, _ wanted: UInt32
) -> Int {
  let read =
    side.isInterleaved
    ? calsa_read(side.handle, side.copy, wanted)
    : calsa_read_rows(side.handle, resetRows(side, skipping: 0, state), wanted)
  if read == Int(-EAGAIN) { return 0 }
  if read > 0 { readChannels(state, side, read) }
  return read
}

/// Plays what is left of the rendered period, as far as there is room.
@_noLocks
func playFrames(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int32 {
  while state.pointee.unplayedFrames > 0 {
    let moved = side.isMapped ? playMapped(state, side) : playCopied(state, side)
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    if moved == 0 { return 0 }
    state.pointee.unplayedFrames &-= moved
  }
  return 0
}

@_noLocks
private func playMapped(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int {
  var window = calsa_window()
  let status = calsa_begin(
    side.handle, UInt32(truncatingIfNeeded: state.pointee.unplayedFrames), &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  writeChannels(state, side, Int(window.frames))
  let given = calsa_commit(side.handle, &window)
  if given < 0 { return given }
  return given == Int(window.frames) ? given : Int(-EPIPE)
}

@_noLocks
private func playCopied(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int {
  let left = state.pointee.unplayedFrames
  let done = state.pointee.periodFrames &- left
  // The whole period is converted once, and may go out in several parts.
  if done == 0 { writeChannels(state, side, left) }
  let count = UInt32(truncatingIfNeeded: left)
  let written =
    side.isInterleaved
    ? calsa_write(side.handle, side.copy + done &* side.frameByteCount, count)
    : calsa_write_rows(side.handle, resetRows(side, skipping: done, state), count)
  return written == Int(-EAGAIN) ? 0 : written
}

/// Fills the playback buffer with silence up to its starting level.
@_noLocks
func playSilence(_ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide) -> Int32 {
  var left = side.filledFrames
  if !side.isMapped { silenceChannels(side, from: 0, state.pointee.periodFrames) }
  while left > 0 {
    let part = UInt32(truncatingIfNeeded: min(left, state.pointee.periodFrames))
    var moved = 0
    if side.isMapped {
      // Brings the room up to date, which mmap_begin does not.
      let room = calsa_available(side.handle)
      if room < 0 { return Int32(truncatingIfNeeded: room) }
      var window = calsa_window()
      let status = calsa_begin(side.handle, part, &window)
      if status < 0 { return status }
      locateChannels(side, &window)
      silenceChannels(side, from: 0, Int(window.frames))
      moved = calsa_commit(side.handle, &window)
    } else if side.isInterleaved {
      moved = calsa_write(side.handle, side.copy, part)
    } else {
      moved = calsa_write_rows(side.handle, resetRows(side, skipping: 0, state), part)
    }
    // A plug-in that takes less than its buffer holds is started with what it has.
    if moved == 0 || moved == Int(-EAGAIN) { return 0 }
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    left &-= moved
  }
  return 0
}

// MARK: - Where the channels lie

@_noLocks
private func locateChannels(_ side: StreamSide, _ window: inout calsa_window) {
  for channel in 0 ..< side.channelCount {
    side.channels[channel] = calsa_channel_of(&window, UInt32(truncatingIfNeeded: channel))
  }
}

@_noLocks
private func resetRows(
  _ side: StreamSide, skipping frames: Int, _ state: UnsafeMutablePointer<DuplexState>
) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
  let rowByteCount = state.pointee.periodFrames &* side.sampleByteCount
  for channel in 0 ..< side.channelCount {
    side.rows[channel] = side.copy + (channel &* rowByteCount &+ frames &* side.sampleByteCount)
  }
  return side.rows
}

// MARK: - Conversion

@_noLocks
private func readChannels(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide, _ frameCount: Int
) {
  crealtime_enter()
  let engine = state.pointee.engine
  for channel in 0 ..< min(side.channelCount, engine.pointee.inputs.channelCount) {
    let place = side.channels[channel]
    csamples_read(
      side.format, place.first, place.stride,
      engine.pointee.inputs[channel] + state.pointee.capturedFrames,
      UInt32(truncatingIfNeeded: frameCount))
  }
  crealtime_exit()
}

@_noLocks
private func writeChannels(
  _ state: UnsafeMutablePointer<DuplexState>, _ side: StreamSide, _ frameCount: Int
) {
  crealtime_enter()
  let engine = state.pointee.engine
  let used = min(side.channelCount, engine.pointee.outputs.channelCount)
  let done = state.pointee.periodFrames &- state.pointee.unplayedFrames
  var clipped = 0
  for channel in 0 ..< used {
    let place = side.channels[channel]
    clipped &+= Int(
      csamples_write(
        side.format, engine.pointee.outputs[channel] + done, place.first, place.stride,
        UInt32(truncatingIfNeeded: frameCount)))
  }
  silenceChannels(side, from: used, frameCount)
  if clipped > 0 { state.pointee.clippedSamples.add(clipped, ordering: .relaxed) }
  crealtime_exit()
}

/// Channels that nobody feeds play nothing, not what lay in the buffer.
@_noLocks
private func silenceChannels(_ side: StreamSide, from first: Int, _ frameCount: Int) {
  for channel in first ..< side.channelCount {
    let place = side.channels[channel]
    csamples_silence(
      side.format, place.first, place.stride, UInt32(truncatingIfNeeded: frameCount))
  }
}
