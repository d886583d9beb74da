// FollowerLoop.swift: serves follower devices once per block. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs. A faulty device is
// faded out and returned. The main thread stops and prepares it, because that may take a kernel
// driver longer than a period; the device is silent meanwhile.

import AdaptiveResampling
import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// Fills the channel buffers of the capture followers.
///
/// `lateFrames` is how late the block is: see `ClockObservation`.
@_noLocks
func captureFollowers(
  _ driver: UnsafeMutablePointer<DriverState>, _ frameCount: Int, lateFrames: Double
) {
  driver.pointee.servingStartNanoseconds = crealtime_nanoseconds()
  for index in 0 ..< driver.pointee.followerCount {
    takeOver(driver.pointee.followers + index)
    guard let follower = driver.pointee.followers[index].current,
      let input = follower.pointee.input
    else { continue }
    let status =
      shouldRelease(driver.pointee.followers + index)
      ? -ECANCELED : capture(follower, input, frameCount, lateFrames)
    // The remaining frames fade out within this block, and the next block is silent. The channel
    // buffers may be skipped only after that.
    let wasSilent = input.pointee.isSilent
    if status != 0 { input.pointee.restart() }
    // Writes exactly one block, or silence.
    crealtime_enter()
    input.pointee.pull(follower.pointee.buffers, frameCount: frameCount)
    crealtime_exit()
    finishBlock(
      driver.pointee.followers + index, follower, status, frameCount, canRelease: wasSilent)
  }
}

/// Passes the channel buffers of the playback followers to the devices.
@_noLocks
func playFollowers(
  _ driver: UnsafeMutablePointer<DriverState>, _ frameCount: Int, lateFrames: Double
) {
  for index in 0 ..< driver.pointee.followerCount {
    guard let follower = driver.pointee.followers[index].current,
      let output = follower.pointee.output
    else { continue }
    let isSilent =
      shouldRelease(driver.pointee.followers + index) && fadeOut(follower, frameCount)
    let status = isSilent ? -ECANCELED : play(follower, output, frameCount, lateFrames)
    finishBlock(driver.pointee.followers + index, follower, status, frameCount, canRelease: true)
  }
}

/// Stops all followers. [render, at the end]
@_noLocks
func dropFollowers(_ driver: UnsafeMutablePointer<DriverState>) {
  for index in 0 ..< driver.pointee.followerCount {
    guard let follower = driver.pointee.followers[index].current else { continue }
    _ = calsa_drop(follower.pointee.side.pointee.handle)
  }
}

/// Returns how long serving other devices and rendering took before `now`, in frames of the graph.
///
/// Without this correction, a slow graph would look like a device that has moved.
@_noLocks
private func renderedFrames(_ driver: UnsafeMutablePointer<DriverState>, _ now: UInt64) -> Double {
  Double(now &- driver.pointee.servingStartNanoseconds) * driver.pointee.sampleRateHz / 1e9
}

// MARK: - Capture

/// Transfers captured frames from the device to the resampler.
///
/// Returns 0 or a negative errno value.
@_noLocks
private func capture(
  _ follower: UnsafeMutablePointer<FollowerState>,
  _ input: UnsafeMutablePointer<AdaptiveInput>, _ frameCount: Int, _ lateFrames: Double
) -> Int32 {
  let side = follower.pointee.side
  if follower.pointee.fault != 0 { return follower.pointee.fault }
  if !follower.pointee.isStarted { return start(follower) }
  let status = streamStatus(side)
  if status < 0 { return status }
  if primaryStalled(follower) { input.pointee.handlePrimaryXrun() }
  follower.pointee.devicePosition.recordInterrupt(side)
  var available = calsa_available_now(side.pointee.handle)
  if available < 0 { return Int32(truncatingIfNeeded: available) }
  let now = crealtime_nanoseconds()
  follower.pointee.devicePosition.recordAvailable(available, at: now)
  while available > 0 {
    let moved = readFrames(
      side, offset: 0, wanted: min(available, side.pointee.copyFrames),
      isWatched: side.pointee.isWatched)
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    if moved == 0 { break }
    input.pointee.push(follower.pointee.conversionBuffer.channels, frameCount: moved)
    recordTransfer(follower, moved)
    available &-= moved
  }
  input.pointee.observe(
    follower.pointee.devicePosition.observation(
      deviceFrames: max(0, available), at: now,
      primaryLateFrames: lateFrames + renderedFrames(follower.pointee.driver, now)),
    blockFrames: frameCount)
  return updateMeasuredRate(follower, input.pointee.status)
}

// MARK: - Playback

/// Transfers a block through the resampler to the device.
///
/// Returns 0 or a negative errno value.
@_noLocks
private func play(
  _ follower: UnsafeMutablePointer<FollowerState>,
  _ output: UnsafeMutablePointer<AdaptiveOutput>, _ frameCount: Int, _ lateFrames: Double
) -> Int32 {
  let side = follower.pointee.side
  if follower.pointee.fault != 0 { return follower.pointee.fault }
  if primaryStalled(follower) { output.pointee.handlePrimaryXrun() }
  if follower.pointee.isStarted {
    let status = streamStatus(side)
    if status < 0 { return status }
    follower.pointee.devicePosition.recordInterrupt(side)
  }
  var room = calsa_available_now(side.pointee.handle)
  if room < 0 { return Int32(truncatingIfNeeded: room) }
  if room > side.pointee.bufferFrames { return -EPIPE }
  let now = crealtime_nanoseconds()
  follower.pointee.devicePosition.recordAvailable(room, at: now)
  let late = lateFrames + renderedFrames(follower.pointee.driver, now)
  let queued = side.pointee.bufferFrames &- room
  output.pointee.observe(
    follower.pointee.isStarted
      ? follower.pointee.devicePosition.observation(
        deviceFrames: queued, at: now, primaryLateFrames: late)
      : ClockObservation(deviceFrames: Double(queued), ageSeconds: 0, primaryLateFrames: late),
    blockFrames: frameCount)
  crealtime_enter()
  output.pointee.push(follower.pointee.buffers, frameCount: frameCount)
  crealtime_exit()
  while room > 0 {
    let count = output.pointee.pull(
      follower.pointee.conversionBuffer.channels, frameCount: min(room, side.pointee.copyFrames))
    if count == 0 { break }
    let status = write(follower, count)
    if status < 0 { return status }
    room &-= count
  }
  return follower.pointee.isStarted
    ? updateMeasuredRate(follower, output.pointee.status) : start(follower)
}

/// Writes the frames between resampler and device, for which there is room.
@_noLocks
private func write(_ follower: UnsafeMutablePointer<FollowerState>, _ count: Int) -> Int32 {
  let side = follower.pointee.side
  var done = 0
  var clipped = 0
  while done < count {
    let moved = writeFrames(
      side, offset: done, wanted: count &- done, isWatched: side.pointee.isWatched,
      clipped: &clipped)
    if moved < 0 { return Int32(truncatingIfNeeded: moved) }
    // There was room by the report. Frames that cannot be written would be a gap.
    if moved == 0 { return -EPIPE }
    done &+= moved
    recordTransfer(follower, moved)
  }
  recordClipped(follower.pointee.driver, clipped)
  return 0
}

// MARK: - Release

@_noLocks
private func shouldRelease(_ slot: UnsafeMutablePointer<FollowerSlot>) -> Bool {
  slot.pointee.shouldRelease.load(ordering: .relaxed)
}

/// Fades the playback out over the first block.
///
/// Returns whether the device has played all of its frames.
@_noLocks
private func fadeOut(_ follower: UnsafeMutablePointer<FollowerState>, _ frameCount: Int) -> Bool {
  let begins = follower.pointee.fadingFrames == 0
  for channel in 0 ..< follower.pointee.conversionBuffer.channelCount {
    let samples = follower.pointee.buffers[channel]
    for frame in 0 ..< frameCount {
      samples[frame] *= begins ? Float(frameCount &- frame) / Float(frameCount) : 0
    }
  }
  follower.pointee.fadingFrames &+= frameCount
  // At least a quarter of a second: more than buffer and resampler hold.
  return follower.pointee.fadingFrames > follower.pointee.timeoutFrames / 8
}

// MARK: - Faults

/// Activates the device that the main thread has passed, unless one is active.
@_noLocks
private func takeOver(_ slot: UnsafeMutablePointer<FollowerSlot>) {
  guard slot.pointee.current == nil else { return }
  // Pairs with the releasing store in `ALSADriver.follow`.
  slot.pointee.current = slot.pointee.arriving.exchange(nil, ordering: .acquiring)
  if slot.pointee.current != nil { slot.pointee.shouldRelease.store(false, ordering: .relaxed) }
}

@_noLocks
private func start(_ follower: UnsafeMutablePointer<FollowerState>) -> Int32 {
  let status = calsa_start(follower.pointee.side.pointee.handle)
  if status < 0 { return status }
  follower.pointee.isStarted = true
  follower.pointee.idleFrames = 0
  follower.pointee.transferredFrames = 0
  follower.pointee.interruptionCountAtStart = follower.pointee.driver.pointee.interruptionCount
  return 0
}

@_noLocks
private func recordTransfer(_ follower: UnsafeMutablePointer<FollowerState>, _ count: Int) {
  follower.pointee.devicePosition.recordTransfer(count)
  follower.pointee.idleFrames = 0
  // Data that is written before the start may never be played.
  guard follower.pointee.isStarted else { return }
  // The relaxed load costs nothing, a store each time would.
  if !follower.pointee.hasMoved.load(ordering: .relaxed) {
    follower.pointee.hasMoved.store(true, ordering: .relaxed)
  }
}

/// Ends a block: publishes the status, or returns a faulty device.
@_noLocks
private func finishBlock(
  _ slot: UnsafeMutablePointer<FollowerSlot>, _ follower: UnsafeMutablePointer<FollowerState>,
  _ status: Int32, _ frameCount: Int, canRelease: Bool
) {
  follower.pointee.idleFrames &+= frameCount
  var status = status
  if follower.pointee.idleFrames > follower.pointee.timeoutFrames { status = -ETIMEDOUT }
  if status == 0 {
    follower.pointee.transferredFrames &+= frameCount
    if follower.pointee.transferredFrames > follower.pointee.timeoutFrames {
      follower.pointee.failedRestarts = 0
    }
    publish(follower)
    return
  }
  if follower.pointee.fault == 0 { recordFault(follower, status) }
  // Regardless of its other state, the device is no longer used.
  if status == -ECANCELED { follower.pointee.fault = status }
  guard canRelease else { return }
  slot.pointee.current = nil
  // Pairs with the acquiring exchange in `ALSADriver.superviseFollower`.
  slot.pointee.departed.store(follower, ordering: .releasing)
}

@_noLocks
private func recordFault(_ follower: UnsafeMutablePointer<FollowerState>, _ status: Int32) {
  // A device that is gone, at another rate, or released is reported as such.
  if follower.pointee.isStarted, status != -ENODEV, status != -EDOM, status != -ERANGE,
    status != -ECANCELED
  {
    countFollowerLoss(follower.pointee.driver)
  }
  // A device that receives nothing from the graph underruns.
  follower.pointee.wasInterrupted =
    follower.pointee.isStarted && status == -EPIPE
    && follower.pointee.interruptionCountAtStart
      != follower.pointee.driver.pointee.interruptionCount
  follower.pointee.isStarted = false
  follower.pointee.fault = status
  if let input = follower.pointee.input { input.pointee.restart() }
  if let output = follower.pointee.output { output.pointee.restart() }
  follower.pointee.drift.store(Double.nan.bitPattern, ordering: .relaxed)
}

@_noLocks
private func publish(_ follower: UnsafeMutablePointer<FollowerState>) {
  if let input = follower.pointee.input { publish(input.pointee.status, follower) }
  if let output = follower.pointee.output { publish(output.pointee.status, follower) }
}

@_noLocks
private func publish(_ status: FollowerStatus, _ follower: UnsafeMutablePointer<FollowerState>) {
  var drift = Double.nan
  // A pattern, because `==` of an enumeration with raw values is generic.
  if case .locked = status.phase { drift = status.driftPartsPerMillion }
  follower.pointee.drift.store(drift.bitPattern, ordering: .relaxed)
  follower.pointee.excess.store(status.fillErrorFrames.bitPattern, ordering: .relaxed)
  follower.pointee.resyncCount.store(
    status.underrunCount &+ status.overrunCount, ordering: .relaxed)
}
