// Transfer.swift: samples between a device's memory and planar rows. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs. Results are frames,
// or a negative errno value.

import CALSA
import CRealtime
import CSamples
import Glibc

/// Moves up to `wanted` captured frames to the rows, from `offset` on.
///
/// `wanted` is at most what the side's copy holds.
///
/// - Returns: how many were moved.
@_noLocks
func readFrames(_ side: UnsafePointer<StreamSide>, offset: Int, wanted: Int) -> Int {
  if !side.pointee.isMapped {
    let count = UInt32(truncatingIfNeeded: wanted)
    let read =
      side.pointee.isInterleaved
      ? calsa_read(side.pointee.handle, side.pointee.copy, count)
      : calsa_read_rows(side.pointee.handle, side.pointee.copyRows, count)
    if read > 0 { decode(side, offset, read) }
    return read == Int(-EAGAIN) ? 0 : read
  }
  var window = calsa_window()
  let status = calsa_begin(side.pointee.handle, UInt32(truncatingIfNeeded: wanted), &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  decode(side, offset, Int(window.frames))
  return commit(side, &window)
}

/// Moves up to `wanted` frames from the rows, from `offset` on, to the device; returns how many were
/// moved, and adds to `clipped` how many samples of these were out of range.
@_noLocks
func writeFrames(_ side: UnsafePointer<StreamSide>, offset: Int, wanted: Int, clipped: inout Int)
  -> Int
{
  if !side.pointee.isMapped {
    let count = UInt32(truncatingIfNeeded: wanted)
    let clips = encode(side, offset, wanted)
    let written =
      side.pointee.isInterleaved
      ? calsa_write(side.pointee.handle, side.pointee.copy, count)
      : calsa_write_rows(side.pointee.handle, side.pointee.copyRows, count)
    if written <= 0 { return written == Int(-EAGAIN) ? 0 : written }
    // What was not taken is converted again, and counted then.
    clipped &+= written == wanted ? clips : encode(side, offset, written)
    return written
  }
  var window = calsa_window()
  let status = calsa_begin(side.pointee.handle, UInt32(truncatingIfNeeded: wanted), &window)
  if status < 0 { return Int(status) }
  if window.frames == 0 { return 0 }
  locateChannels(side, &window)
  clipped &+= encode(side, offset, Int(window.frames))
  return commit(side, &window)
}

@_noLocks
private func commit(_ side: UnsafePointer<StreamSide>, _ window: inout calsa_window) -> Int {
  let moved = calsa_commit(side.pointee.handle, &window)
  if moved < 0 { return moved }
  return moved == Int(window.frames) ? moved : Int(-EPIPE)
}

/// Fills the playback buffer with silence up to its starting level; 0 or a negative errno value.
@_noLocks
func playSilence(_ side: UnsafePointer<StreamSide>, frameCount: Int) -> Int32 {
  var left = frameCount
  if !side.pointee.isMapped { silenceChannels(side, side.pointee.copyFrames) }
  while left > 0 {
    let part = UInt32(truncatingIfNeeded: min(left, side.pointee.copyFrames))
    var moved = 0
    if side.pointee.isMapped {
      // Brings the room up to date, which mmap_begin does not.
      let room = calsa_available(side.pointee.handle)
      if room < 0 { return Int32(truncatingIfNeeded: room) }
      var window = calsa_window()
      let status = calsa_begin(side.pointee.handle, part, &window)
      if status < 0 { return status }
      locateChannels(side, &window)
      silenceChannels(side, Int(window.frames))
      moved = calsa_commit(side.pointee.handle, &window)
    } else if side.pointee.isInterleaved {
      moved = calsa_write(side.pointee.handle, side.pointee.copy, part)
    } else {
      moved = calsa_write_rows(side.pointee.handle, side.pointee.copyRows, part)
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
private func locateChannels(_ side: UnsafePointer<StreamSide>, _ window: inout calsa_window) {
  let channels = side.pointee.channels
  let first = calsa_channel_of(&window, 0)
  if side.pointee.isInterleaved {
    // All channels move together, and as far as the first one.
    let distance = first.first - channels[0].first
    if first.stride == channels[0].stride {
      for channel in 0 ..< side.pointee.channelCount { channels[channel].first += distance }
      return
    }
  }
  for channel in 0 ..< side.pointee.channelCount {
    let place = calsa_channel_of(&window, UInt32(truncatingIfNeeded: channel))
    channels[channel] = csamples_channel(first: place.first, stride: place.stride)
  }
}

// MARK: - Conversion

@_noLocks
private func decode(_ side: UnsafePointer<StreamSide>, _ offset: Int, _ frameCount: Int) {
  crealtime_enter()
  let frames = UInt32(truncatingIfNeeded: frameCount)
  csamples_read_frames(
    side.pointee.format, side.pointee.channels, side.pointee.rows,
    UInt32(truncatingIfNeeded: side.pointee.channelCount),
    UInt32(truncatingIfNeeded: offset), frames)
  for index in 0 ..< side.pointee.copyCount {
    let copy = side.pointee.copies[index]
    if let from = copy.from {
      crealtime_copy(copy.to + offset, from + offset, frames)
    } else {
      crealtime_zero(copy.to + offset, frames)
    }
  }
  crealtime_exit()
}

/// Converts to where the channels lie; returns how many samples were clipped.
///
/// Channels without a row play nothing, not what lay in the buffer.
@_noLocks
private func encode(_ side: UnsafePointer<StreamSide>, _ offset: Int, _ frameCount: Int) -> Int {
  crealtime_enter()
  let clipped = csamples_write_frames(
    side.pointee.format, side.pointee.channels, side.pointee.rows,
    UInt32(truncatingIfNeeded: side.pointee.channelCount),
    UInt32(truncatingIfNeeded: offset), UInt32(truncatingIfNeeded: frameCount), side.pointee.dither)
  crealtime_exit()
  return Int(clipped)
}

@_noLocks
private func silenceChannels(_ side: UnsafePointer<StreamSide>, _ frameCount: Int) {
  for channel in 0 ..< side.pointee.channelCount {
    let place = side.pointee.channels[channel]
    csamples_silence(
      side.pointee.format, place.first, place.stride, UInt32(truncatingIfNeeded: frameCount))
  }
}
