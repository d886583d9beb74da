// FollowerRate.swift: whether a device's clock is one that can be followed. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, waits, throws or logs.

import AdaptiveResampling
import Glibc

/// Whether the devices that give the pace stood still since this was last asked.
@_noLocks
func sawInterruption(_ follower: UnsafeMutablePointer<FollowerState>) -> Bool {
  let count = follower.pointee.driver.pointee.interruptionCount
  defer { follower.pointee.interruptionCount = count }
  return count != follower.pointee.interruptionCount
}

/// Whether it has a clock that is not to be followed, as a negative errno value.
///
/// No resampler is to make a rate that it does not tell the sound of another pitch; nor is one to run empty or over
/// for ever, as its clock is too far off the one that gives the pace.
@_noLocks
func notePace(
  _ follower: UnsafeMutablePointer<FollowerState>, _ status: FollowerStatus
) -> Int32 {
  guard follower.pointee.isHardware else { return 0 }
  let frames = follower.pointee.sight.ranFrames
  let count = frames &- follower.pointee.pacedFrames
  follower.pointee.pacedFrames = frames
  // By a clock that stands still between its runs, and that never was at 0.
  let time = (1 << 50) &+ follower.pointee.sight.ranNanoseconds
  if follower.pointee.pace.note(count, at: time) { return -EDOM }
  return status.unfollowablePartsPerMillion != 0 ? -ERANGE : 0
}
