// FollowerRate.swift: checks whether a device's clock can be followed. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import AdaptiveResampling
import Glibc

/// Returns whether the primary devices stalled since the last call.
@_noLocks
func primaryStalled(_ follower: UnsafeMutablePointer<FollowerState>) -> Bool {
  let count = follower.pointee.driver.pointee.interruptionCount
  defer { follower.pointee.interruptionCount = count }
  return count != follower.pointee.interruptionCount
}

/// Returns whether the clock of the device cannot be followed, as a negative errno value.
///
/// A resampler must not change the pitch because the device has another rate than it reports. It
/// also must not underrun or overrun permanently because the clock is too far from the primary
/// device.
@_noLocks
func updateMeasuredRate(
  _ follower: UnsafeMutablePointer<FollowerState>, _ status: FollowerStatus
) -> Int32 {
  guard follower.pointee.isHardware else { return 0 }
  let frames = follower.pointee.devicePosition.transferredFrames
  let count = frames &- follower.pointee.pacedFrames
  follower.pointee.pacedFrames = frames
  // Uses a clock that stops between the runs of the device, and that never was at 0.
  let time = (1 << 50) &+ follower.pointee.devicePosition.ranNanoseconds
  if follower.pointee.rateMonitor.record(count, at: time) { return -EDOM }
  return status.unfollowablePartsPerMillion != 0 ? -ERANGE : 0
}
