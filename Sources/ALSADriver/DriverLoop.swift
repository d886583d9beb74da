// DriverLoop.swift: what the driver's audio thread does: devices give the pace, or else a clock. SPDX-License-Identifier: MIT
//
// A run file: nothing here allocates, frees, locks, throws or logs. Results are 0 or a negative
// errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import RenderGraph
import Synchronization

/// The audio thread's first function; `context` is a `DriverState`. [render]
nonisolated func driverThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { runDriver(context.assumingMemoryBound(to: DriverState.self)) }
  return nil
}

/// Runs until it is told to stop.
@_noLocks
private func runDriver(_ driver: UnsafeMutablePointer<DriverState>) {
  if driver.pointee.lastProgress == 0 { driver.pointee.lastProgress = crealtime_nanoseconds() }
  driver.pointee.due = crealtime_nanoseconds()
  while !driver.pointee.stop.isRaised {
    if let duplex = driver.pointee.duplex {
      var status = renderPeriods(duplex)
      if status != 0 { status = recover(duplex, from: status) }
      if status != 0 { giveUp(driver, duplex, status) }
    } else if let duplex = driver.pointee.arriving.exchange(nil, ordering: .acquiring) {
      // Pairs with the releasing store in `ALSADriver.handOver`.
      takeOver(driver, duplex)
    } else {
      renderByClock(driver)
    }
  }
  if let duplex = driver.pointee.duplex {
    playOut(duplex)
    dropStreams(duplex)
  }
  dropFollowers(driver)
  driver.pointee.isRunning.store(false, ordering: .releasing)
}

/// Starts devices that have been set up, the first time or again.
@_noLocks
private func takeOver(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) {
  driver.pointee.duplex = duplex
  let first = startStreams(duplex)
  if first != 0 {
    // What it gets over it has counted.
    let status = recover(duplex, from: first)
    if status != 0 { giveUp(driver, duplex, status) }
  } else if driver.pointee.hasDelivered.load(ordering: .relaxed) {
    countLoss(duplex)
  }
}

/// Hands back devices that cannot go on; from then on a clock gives the pace.
@_noLocks
private func giveUp(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>,
  _ status: Int32
) {
  dropStreams(duplex)
  duplex.pointee.departure = status
  if driver.pointee.hasDelivered.load(ordering: .relaxed) {
    driver.pointee.interruptedSince.store(driver.pointee.lastProgress, ordering: .relaxed)
  }
  driver.pointee.duplex = nil
  driver.pointee.isSteady.store(false, ordering: .relaxed)
  driver.pointee.isFlowing.store(false, ordering: .relaxed)
  driver.pointee.due = crealtime_nanoseconds()
  driver.pointee.inputGap.begin(after: driver.pointee.engine.pointee.inputs)
  // Pairs with the acquiring exchange in `ALSADriver.attend`.
  driver.pointee.departed.store(duplex, ordering: .releasing)
}

// MARK: - Blocks

/// Renders a block whose captured frames lie in the engine's inputs, `now`, in nanoseconds.
///
/// It could have been rendered `lateFrames` frames before, which only followers ask for.
@inline(__always)
@_noLocks
func renderCycle(
  _ driver: UnsafeMutablePointer<DriverState>, _ frameCount: Int,
  lateFrames: @autoclosure () -> Double, at now: UInt64
) {
  let engine = driver.pointee.engine
  let hasFollowers = driver.pointee.hasFollowers.load(ordering: .relaxed)
  if hasFollowers { captureFollowers(driver, frameCount, lateFrames: lateFrames()) }
  driver.pointee.inputGap.apply(to: engine.pointee.inputs, frameCount)
  renderBlock(engine, frameCount, startedAt: now)
  driver.pointee.outputGap.apply(to: engine.pointee.outputs, frameCount)
  if hasFollowers { playFollowers(driver, frameCount, lateFrames: lateFrames()) }
}

@_noLocks
func noteClipped(_ driver: UnsafeMutablePointer<DriverState>, _ count: Int) {
  if count > 0 { driver.pointee.clippedSamples.add(count, ordering: .relaxed) }
}

/// Counts one interruption, from the last period that went well to now, and fades over it.
@_noLocks
func countLoss(_ duplex: UnsafeMutablePointer<DuplexState>) {
  let driver = duplex.pointee.driver
  // The silence that playback starts with takes the place of sound, too.
  let silence = 1e9 * Double(duplex.pointee.playback?.pointee.filledFrames ?? 0)
  let now =
    crealtime_nanoseconds() &+ UInt64(silence / duplex.pointee.sampleRateHz)
  driver.pointee.interruptedSince.store(0, ordering: .relaxed)
  driver.pointee.xruns.add(1, ordering: .relaxed)
  driver.pointee.lostNanoseconds.add(
    now &- min(now, driver.pointee.lastProgress), ordering: .relaxed)
  driver.pointee.lastProgress = crealtime_nanoseconds()
  driver.pointee.inputGap.begin(after: driver.pointee.engine.pointee.inputs)
  driver.pointee.outputGap.beginFromSilence()
}

/// Renders a block when the clock says that it is time: nothing is captured, nothing played, but
/// the graph lives on, and its tails with it.
@_noLocks
private func renderByClock(_ driver: UnsafeMutablePointer<DriverState>) {
  let block = UInt64(1e9 * Double(driver.pointee.blockFrames) / driver.pointee.sampleRateHz)
  // Not all of a long block at once, as neither a stop nor a device that returns can wait.
  let longest: UInt64 = 20_000_000
  let now = crealtime_nanoseconds()
  let due = driver.pointee.due &+ block
  if now < due {
    crealtime_sleep_until(min(due, now &+ longest))
    return
  }
  // The process was stopped for a while: what was missed is not made up for.
  driver.pointee.due = now > due &+ 4 &* block ? now : due
  let engine = driver.pointee.engine
  for channel in 0 ..< engine.pointee.inputs.channelCount {
    crealtime_zero(
      engine.pointee.inputs[channel], UInt32(truncatingIfNeeded: driver.pointee.blockFrames))
  }
  let late = Double(now &- driver.pointee.due) * driver.pointee.sampleRateHz / 1e9
  renderCycle(driver, driver.pointee.blockFrames, lateFrames: late, at: now)
}
