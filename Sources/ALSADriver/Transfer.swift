// Transfer.swift: samples between a device's memory and planar rows. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. Results are frames,
// or a negative errno value.

import CALSA
import CRealtime
import CSamples
import Glibc

/// Moves up to `wanted` captured frames to the `rowCount` rows, from `offset` on.
///
/// `wanted` is at most what the side's copy holds.
///
/// - Returns: how many were moved.
@_noLocks
func readFrames(
  _ side: StreamSide, to rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ rowCount: Int,
  offset: Int, wanted: Int
) -> Int {
  if !side.isMapped {
    let count = UInt32(truncatingIfNeeded: wanted)
    let read =
      side.isInterleaved
      ? calsa_read(side.handle, side.copy, count)
      : calsa_read_rows(side.handle, side.rows, count)
    if read > 0 { decode(side, to: rows, rowCount, offset, read) }
    return read == Int(-EAGAIN) ? 0 : read
  }
  var window = calsa_window()
  let status = calsa_begin(side.handle, UInt32(truncatingIfNeeded: wanted), &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  decode(side, to: rows, rowCount, offset, Int(window.frames))
  return commit(side, &window)
}

/// Moves up to `wanted` frames from the rows, from `offset` on, to the device; returns how many were
/// moved, and adds to `clipped` how many samples of these were out of range.
@_noLocks
func writeFrames(
  _ side: StreamSide, from rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ rowCount: Int,
  offset: Int, wanted: Int, clipped: inout Int
) -> Int {
  if !side.isMapped {
    let count = UInt32(truncatingIfNeeded: wanted)
    let clips = encode(side, from: rows, rowCount, offset, wanted)
    let written =
      side.isInterleaved
      ? calsa_write(side.handle, side.copy, count)
      : calsa_write_rows(side.handle, side.rows, count)
    if written <= 0 { return written == Int(-EAGAIN) ? 0 : written }
    // What was not taken is converted again, and counted then.
    clipped &+= written == wanted ? clips : encode(side, from: rows, rowCount, offset, written)
    return written
  }
  var window = calsa_window()
  let status = calsa_begin(side.handle, UInt32(truncatingIfNeeded: wanted), &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  clipped &+= encode(side, from: rows, rowCount, offset, Int(window.frames))
  return commit(side, &window)
}

@_noLocks
private func commit(_ side: StreamSide, _ window: inout calsa_window) -> Int {
  let moved = calsa_commit(side.handle, &window)
  if moved < 0 { return moved }
  return moved == Int(window.frames) ? moved : Int(-EPIPE)
}

/// Fills the playback buffer with silence up to its starting level; 0 or a negative errno value.
@_noLocks
func playSilence(_ side: StreamSide, frameCount: Int) -> Int32 {
  var left = frameCount
  if !side.isMapped { silenceChannels(side, side.copyFrames) }
  while left > 0 {
    let part = UInt32(truncatingIfNeeded: min(left, side.copyFrames))
    var moved = 0
    if side.isMapped {
      // Brings the room up to date, which mmap_begin does not.
      let room = calsa_available(side.handle)
      if room < 0 { return Int32(truncatingIfNeeded: room) }
      var window = calsa_window()
      let status = calsa_begin(side.handle, part, &window)
      if status < 0 { return status }
      locateChannels(side, &window)
      silenceChannels(side, Int(window.frames))
      moved = calsa_commit(side.handle, &window)
    } else if side.isInterleaved {
      moved = calsa_write(side.handle, side.copy, part)
    } else {
      moved = calsa_write_rows(side.handle, side.rows, part)
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

// MARK: - Conversion

@_noLocks
private func decode(
  _ side: StreamSide, to rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ rowCount: Int,
  _ offset: Int, _ frameCount: Int
) {
  crealtime_enter()
  let frames = UInt32(truncatingIfNeeded: frameCount)
  for index in 0 ..< min(side.usedChannelCount, rowCount) {
    let row = rows[index] + offset
    let channel = side.usedChannels[index]
    if channel >= 0 {
      let place = side.channels[channel]
      csamples_read(side.format, place.first, place.stride, row, frames)
    } else {
      crealtime_zero(row, frames)
    }
  }
  crealtime_exit()
}

/// Returns how many samples were clipped.
@_noLocks
private func encode(
  _ side: StreamSide, from rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ rowCount: Int,
  _ offset: Int, _ frameCount: Int
) -> Int {
  crealtime_enter()
  var clipped = 0
  for index in 0 ..< side.usedChannelCount {
    let channel = side.usedChannels[index]
    guard channel >= 0 else { continue }
    guard index < rowCount else {
      silence(side, channel, frameCount)
      continue
    }
    let place = side.channels[channel]
    clipped &+= Int(
      csamples_write(
        side.format, rows[index] + offset, place.first, place.stride,
        UInt32(truncatingIfNeeded: frameCount)))
  }
  // Channels that nobody feeds play nothing, not what lay in the buffer.
  for index in 0 ..< side.idleChannelCount { silence(side, side.idleChannels[index], frameCount) }
  crealtime_exit()
  return clipped
}

@_noLocks
private func silenceChannels(_ side: StreamSide, _ frameCount: Int) {
  for channel in 0 ..< side.channelCount { silence(side, channel, frameCount) }
}

@_noLocks
private func silence(_ side: StreamSide, _ channel: Int, _ frameCount: Int) {
  let place = side.channels[channel]
  csamples_silence(
    side.format, place.first, place.stride, UInt32(truncatingIfNeeded: frameCount))
}
