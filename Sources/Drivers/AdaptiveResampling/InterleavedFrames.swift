// InterleavedFrames.swift: interleaving, deinterleaving and ramps. SPDX-License-Identifier: MIT

import CRealtime

/// The length of a fade where audio is cut, in frames: about a millisecond.
///
/// Computed, because a global variable would be initialised under a lock.
var fadeFrames: Int {
  @_noLocks get { 64 }
}

/// Interleaves `count` frames of `rows`, from `offset` on.
@_noLocks
package func interleave(
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, offset: Int,
  count: Int, to frames: UnsafeMutablePointer<Float>
) {
  guard channelCount > 1 else {
    crealtime_copy(frames, rows[0] + offset, UInt32(truncatingIfNeeded: count))
    return
  }
  for channel in 0 ..< channelCount {
    let row = rows[channel] + offset
    var to = frames + channel
    for index in 0 ..< count {
      to.pointee = row[index]
      to += channelCount
    }
  }
}

/// Deinterleaves `count` frames to `rows`, from `offset` on.
@_noLocks
package func deinterleave(
  _ frames: UnsafePointer<Float>, channelCount: Int, count: Int,
  to rows: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int
) {
  guard channelCount > 1 else {
    crealtime_copy(rows[0] + offset, frames, UInt32(truncatingIfNeeded: count))
    return
  }
  for channel in 0 ..< channelCount {
    let row = rows[channel] + offset
    var from = frames + channel
    for index in 0 ..< count {
      row[index] = from.pointee
      from += channelCount
    }
  }
}

/// Fades the last frames, at most `fadeFrames` of `count`, to silence.
@_noLocks
func fadeOut(_ frames: UnsafeMutablePointer<Float>, channelCount: Int, count: Int) {
  let length = min(count, fadeFrames)
  for index in 0 ..< length {
    let gain = Float(length &- 1 &- index) / Float(length)
    let frame = frames + (count &- length &+ index) &* channelCount
    for channel in 0 ..< channelCount { frame[channel] *= gain }
  }
}

/// Fades in over several blocks: scales frames that are `done` frames after the start.
///
/// Returns the new value of `done`.
@_noLocks
func fadeIn(
  _ frames: UnsafeMutablePointer<Float>, channelCount: Int, count: Int, done: Int
) -> Int {
  let length = min(count, fadeFrames &- done)
  guard length > 0 else { return done }
  for index in 0 ..< length {
    let gain = Float(done &+ index) / Float(fadeFrames)
    let frame = frames + index &* channelCount
    for channel in 0 ..< channelCount { frame[channel] *= gain }
  }
  return done &+ length
}
