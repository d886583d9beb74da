// PCMStream+Transfer.swift: transfers samples between devices and channel buffers.
// SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs. Results are frames,
// or a negative errno value.

import CALSA
import CRealtime
import CSamples
import Glibc

/// Transfers up to `wanted` captured frames to the channel buffers, from `offset` on.
///
/// `wanted` is at most the capacity of the side's copy. `isWatched` is the side's value, if it is
/// known at compile time.
///
/// - Returns: the number of frames transferred.
@inline(__always)
@_noLocks
func readFrames(
  _ side: UnsafePointer<PCMStream>, offset: Int, wanted: Int, isWatched: Bool
) -> Int {
  if !side.pointee.isMapped { return readCopied(side, offset: offset, wanted: wanted) }
  let window = calsa_begin(
    side.pointee.handle, UInt32(truncatingIfNeeded: wanted), isWatched)
  if window.status < 0 { return Int(window.status) }
  if window.frames == 0 { return 0 }
  cacheMMapAreas(side, window)
  decode(side, window.offset, offset, window.frames)
  return commit(side, window, isWatched: isWatched)
}

/// Skips up to `wanted` captured frames, at most the capacity of the side's copy; returns how many.
@inline(never)
@_noLocks
func skipFrames(_ side: UnsafePointer<PCMStream>, wanted: Int) -> Int {
  let count = UInt32(truncatingIfNeeded: wanted)
  if !side.pointee.isMapped { return readIntoCopy(side, count) }
  let window = calsa_begin(side.pointee.handle, count, side.pointee.isWatched)
  if window.status < 0 { return Int(window.status) }
  return window.frames == 0 ? 0 : commit(side, window, isWatched: side.pointee.isWatched)
}

/// Transfers up to `wanted` frames from the channel buffers, from `offset` on, to the device.
///
/// Returns the number of frames, and adds the number of clipped samples to `clipped`.
@inline(__always)
@_noLocks
func writeFrames(
  _ side: UnsafePointer<PCMStream>, offset: Int, wanted: Int, isWatched: Bool,
  clipped: inout Int
) -> Int {
  if !side.pointee.isMapped {
    var clips = 0
    let written = writeCopied(side, offset: offset, wanted: wanted, clipped: &clips)
    clipped &+= clips
    return written
  }
  let window = calsa_begin(
    side.pointee.handle, UInt32(truncatingIfNeeded: wanted), isWatched)
  if window.status < 0 { return Int(window.status) }
  if window.frames == 0 { return 0 }
  cacheMMapAreas(side, window)
  clipped &+= encode(side, window.offset, offset, window.frames)
  return commit(side, window, isWatched: isWatched)
}

@inline(__always)
@_noLocks
private func commit(
  _ side: UnsafePointer<PCMStream>, _ window: calsa_window, isWatched: Bool
) -> Int {
  let moved = calsa_commit(side.pointee.handle, window, isWatched)
  // Fewer frames than were filled would leave a gap.
  return moved == Int(window.frames) || moved < 0 ? moved : Int(-EPIPE)
}

/// Reads through `copy`.
@inline(never)
@_noLocks
private func readCopied(_ side: UnsafePointer<PCMStream>, offset: Int, wanted: Int) -> Int {
  let read = readIntoCopy(side, UInt32(truncatingIfNeeded: wanted))
  if read > 0 { decode(side, 0, offset, UInt32(truncatingIfNeeded: read)) }
  return read
}

/// Reads into `copy`; returns 0 if no frame is available yet.
@_noLocks
private func readIntoCopy(_ side: UnsafePointer<PCMStream>, _ count: UInt32) -> Int {
  if side.pointee.clearsCopy {
    csamples_silence_frames(
      side.pointee.frames, 0, UInt32(truncatingIfNeeded: side.pointee.copyFrames))
  }
  let read =
    side.pointee.isInterleaved
    ? calsa_read(side.pointee.handle, side.pointee.copy, count)
    : calsa_read_rows(side.pointee.handle, side.pointee.copyBuffers, count)
  return read == Int(-EAGAIN) ? 0 : read
}

/// Writes through `copy`.
@inline(never)
@_noLocks
private func writeCopied(
  _ side: UnsafePointer<PCMStream>, offset: Int, wanted: Int, clipped: inout Int
) -> Int {
  let count = UInt32(truncatingIfNeeded: wanted)
  let clips = encode(side, 0, offset, count)
  let written =
    side.pointee.isInterleaved
    ? calsa_write(side.pointee.handle, side.pointee.copy, count)
    : calsa_write_rows(side.pointee.handle, side.pointee.copyBuffers, count)
  if written <= 0 { return written == Int(-EAGAIN) ? 0 : written }
  // Frames that were not accepted are converted again, and counted then.
  clipped &+=
    written == wanted ? clips : encode(side, 0, offset, UInt32(truncatingIfNeeded: written))
  return written
}

/// Fills the playback buffer with silence up to its start level.
///
/// Returns 0 or a negative errno value.
@_noLocks
func playSilence(_ side: UnsafePointer<PCMStream>, frameCount: Int) -> Int32 {
  var left = frameCount
  if !side.pointee.isMapped {
    csamples_silence_frames(
      side.pointee.frames, 0, UInt32(truncatingIfNeeded: side.pointee.copyFrames))
  }
  while left > 0 {
    let part = UInt32(truncatingIfNeeded: min(left, side.pointee.copyFrames))
    var moved = 0
    if side.pointee.isMapped {
      // Updates the available frames, which mmap_begin does not.
      let room = calsa_available(side.pointee.handle, side.pointee.isWatched)
      if room < 0 { return Int32(truncatingIfNeeded: room) }
      let window = calsa_begin(side.pointee.handle, part, side.pointee.isWatched)
      if window.status < 0 { return window.status }
      cacheMMapAreas(side, window)
      csamples_silence_frames(
        side.pointee.frames, window.offset, window.frames)
      moved = calsa_commit(side.pointee.handle, window, side.pointee.isWatched)
    } else if side.pointee.isInterleaved {
      moved = calsa_write(side.pointee.handle, side.pointee.copy, part)
    } else {
      moved = calsa_write_rows(side.pointee.handle, side.pointee.copyBuffers, part)
    }
    // A plugin that accepts less than its buffer holds is started with that.
    if moved == 0 || moved == Int(-EAGAIN) { return 0 }
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    left &-= moved
  }
  return 0
}

// MARK: - Channel addresses

/// Determines the channel addresses in the device's memory, which does not move while it is open.
@inline(__always)
@_noLocks
private func cacheMMapAreas(_ side: UnsafePointer<PCMStream>, _ window: calsa_window) {
  if calsa_channel_of(window, 0).first != side.pointee.channels[0].first {
    cacheMMapArea(side, window)
  }
}

@inline(never)
@_noLocks
private func cacheMMapArea(_ side: UnsafePointer<PCMStream>, _ window: calsa_window) {
  for channel in 0 ..< side.pointee.frames.pointee.channel_count {
    let area = calsa_channel_of(window, channel)
    side.pointee.channels[Int(channel)] = csamples_channel(first: area.first, stride: area.stride)
  }
}

// MARK: - Conversion

/// Converts from frame `first` of the device's channels to frame `offset` of the channel buffers.
@inline(__always)
@_noLocks
private func decode(
  _ side: UnsafePointer<PCMStream>, _ first: UInt32, _ offset: Int, _ frameCount: UInt32
) {
  crealtime_enter()
  csamples_read_frames(side.pointee.frames, first, UInt32(truncatingIfNeeded: offset), frameCount)
  if side.pointee.copyCount > 0 { fillBuffers(side, offset, frameCount) }
  crealtime_exit()
}

/// Fills the channel buffers that belong to no device channel.
@inline(never)
@_noLocks
private func fillBuffers(_ side: UnsafePointer<PCMStream>, _ offset: Int, _ frameCount: UInt32) {
  for index in 0 ..< side.pointee.copyCount {
    let copy = side.pointee.copies[index]
    if let from = copy.from {
      crealtime_copy(copy.to + offset, from + offset, frameCount)
    } else {
      crealtime_zero(copy.to + offset, frameCount)
    }
  }
}

/// Converts from frame `offset` of the channel buffers to frame `first` of the device's channels.
///
/// Returns the number of clipped samples.
///
/// Device channels without a channel buffer are silenced.
@inline(__always)
@_noLocks
private func encode(
  _ side: UnsafePointer<PCMStream>, _ first: UInt32, _ offset: Int, _ frameCount: UInt32
) -> Int {
  crealtime_enter()
  let clipped = csamples_write_frames(
    side.pointee.frames, first, UInt32(truncatingIfNeeded: offset), frameCount)
  crealtime_exit()
  return Int(clipped)
}
