// DriverLoop.swift: the audio thread's loop: devices or the system clock clock the graph. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, throws or logs. Results are 0 or a negative
// errno value.

import CALSA
import CRealtime
import Glibc
import RealtimeKit
import Synchronization

/// The main function of the audio thread; `context` is a `DriverState`. [render]
nonisolated func driverThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  crealtime_separate_directory()
  if let context { runDriver(context.assumingMemoryBound(to: DriverState.self)) }
  return nil
}

/// Runs until it is stopped.
@_noLocks
private func runDriver(_ driver: UnsafeMutablePointer<DriverState>) {
  crealtime_watch_begin(driver.pointee.watch)
  if driver.pointee.lastProgress == 0 { driver.pointee.lastProgress = crealtime_nanoseconds() }
  driver.pointee.due = crealtime_nanoseconds()
  if driver.pointee.shouldRecover { recoverDevices(driver) }
  while !driver.pointee.stop.isRaised {
    if let duplex = driver.pointee.duplex {
      var status =
        duplex.pointee.isOnProbation ? pollFirstPeriod(driver, duplex) : renderPeriods(duplex)
      if status == -ETIME { status = awaitFirstFrames(driver, duplex) }
      if status != 0 { status = recover(duplex, from: status) }
      if status == 0, fadeOutBeforeRelease(driver, duplex) { status = -ECANCELED }
      if status != 0 { handBackDevices(driver, duplex, status) }
    } else if let duplex = driver.pointee.arriving.exchange(nil, ordering: .acquiring) {
      // Pairs with the releasing store in `ALSADriver.handOver`.
      takeOver(driver, duplex)
    } else {
      renderFreeRunning(driver)
    }
  }
  if let duplex = driver.pointee.duplex {
    drainPlayback(duplex)
    dropStreams(duplex)
  }
  dropFollowers(driver)
  driver.pointee.isRunning.store(false, ordering: .releasing)
}

/// Restarts devices that were stalled while a call for another device hung.
@_noLocks
private func recoverDevices(_ driver: UnsafeMutablePointer<DriverState>) {
  driver.pointee.shouldRecover = false
  guard let duplex = driver.pointee.duplex else { return }
  let status = recover(duplex, from: -EPIPE)
  if status != 0 { handBackDevices(driver, duplex, status) }
}

/// Starts devices that were configured, for the first time or again.
@_noLocks
private func takeOver(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) {
  driver.pointee.shouldRelease.store(false, ordering: .relaxed)
  driver.pointee.duplex = duplex
  let isReturn = driver.pointee.hasDelivered.load(ordering: .relaxed)
  var status = isReturn ? startFromSilence(driver, duplex) : startStreams(duplex)
  // A fault that it recovers from is counted there.
  if status != 0 { status = recover(duplex, from: status) }
  if status != 0 { handBackDevices(driver, duplex, status) }
}

// MARK: - Stalled devices

/// Starts devices from silence.
///
/// The system clock clocks the graph until they move audio.
@_noLocks
private func startFromSilence(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) -> Int32 {
  startProbation(duplex)
  return startStreams(duplex)
}

/// Uses the system clock until stalled devices transfer audio again.
@_noLocks
private func awaitFirstFrames(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) -> Int32 {
  // The buffer of a card then contains silence. A server would have to start again.
  if duplex.pointee.isHardware { return startFromSilence(driver, duplex) }
  startProbation(duplex)
  return 0
}

/// Uses the system clock until the devices transfer audio.
@_noLocks
func startProbation(_ duplex: UnsafeMutablePointer<DuplexState>) {
  if !duplex.pointee.isOnProbation, duplex.pointee.steadyPeriods > 0 {
    recordInterruption(duplex.pointee.driver)
    // They have worked before, but may not work again.
    duplex.pointee.steadyPeriods = 1
    duplex.pointee.discardPartialPeriod()
  }
  duplex.pointee.isOnProbation = true
}

/// Waits for the first period, at most until the next block of the system clock is due.
///
/// Then renders the period or that block.
@_noLocks
private func pollFirstPeriod(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) -> Int32 {
  if duplex.pointee.isReady {
    duplex.pointee.isOnProbation = false
    countLoss(duplex)
    return renderPeriods(duplex)
  }
  let status = waitAndPoll(duplex)
  if status == 0, !duplex.pointee.isReady { renderIfDue(driver, crealtime_nanoseconds()) }
  return status
}

// MARK: - Releasing devices

/// Returns whether devices that will be released have played all audio; starts the fade-out.
@_noLocks
private func fadeOutBeforeRelease(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>
) -> Bool {
  guard driver.pointee.shouldRelease.load(ordering: .relaxed) else { return false }
  let rendered = driver.pointee.renderedFrames
  if driver.pointee.lastFrame != 0 { return rendered >= driver.pointee.lastFrame }
  let queued = duplex.pointee.playback?.pointee.filledFrames ?? 0
  let left = driver.pointee.outputGap.length &+ queued &+ duplex.pointee.periodFrames
  driver.pointee.lastFrame = rendered &+ left
  driver.pointee.outputGap.close()
  return false
}

/// Returns devices that cannot continue.
///
/// From then on the system clock clocks the graph.
@_noLocks
private func handBackDevices(
  _ driver: UnsafeMutablePointer<DriverState>, _ duplex: UnsafeMutablePointer<DuplexState>,
  _ status: Int32
) {
  dropStreams(duplex)
  duplex.pointee.departure = status
  startFreeRunning(driver)
  // Pairs with the acquiring exchange in `ALSADriver.supervise`.
  driver.pointee.departed.store(duplex, ordering: .releasing)
}

/// Uses the system clock from now on and reports an interruption. [render; main, if the thread was
/// abandoned]
@_noLocks
func startFreeRunning(_ driver: UnsafeMutablePointer<DriverState>) {
  let isInterrupted = driver.pointee.interruptedSince.load(ordering: .relaxed) != 0
  if !isInterrupted { recordInterruption(driver) }
  driver.pointee.duplex = nil
  // Followers continue to play.
  if driver.pointee.lastFrame != 0 { driver.pointee.outputGap.startFromSilence() }
  driver.pointee.lastFrame = 0
}

/// Stops the audio: the system clock clocks the graph, and the inputs become silent.
@_noLocks
private func recordInterruption(_ driver: UnsafeMutablePointer<DriverState>) {
  if driver.pointee.hasDelivered.load(ordering: .relaxed) {
    driver.pointee.interruptedSince.store(driver.pointee.lastProgress, ordering: .relaxed)
  }
  driver.pointee.interruptionCount &+= 1
  driver.pointee.isStable.store(false, ordering: .relaxed)
  driver.pointee.isTransferring.store(false, ordering: .relaxed)
  driver.pointee.due = crealtime_nanoseconds()
  driver.pointee.inputGap.begin(after: driver.pointee.callback.inputs)
}

// MARK: - Blocks

/// Renders a block at `now`, in nanoseconds, whose captured frames are in the renderer's inputs.
///
/// The block could have been rendered `lateFrames` frames earlier, which only followers use.
@inline(__always)
@_noLocks
func renderCycle(
  _ driver: UnsafeMutablePointer<DriverState>, _ frameCount: Int,
  lateFrames: @autoclosure () -> Double, at now: UInt64
) {
  let hasFollowers = driver.pointee.hasFollowers.load(ordering: .relaxed)
  if hasFollowers { captureFollowers(driver, frameCount, lateFrames: lateFrames()) }
  driver.pointee.inputGap.apply(to: driver.pointee.callback.inputs, frameCount)
  crealtime_render(
    driver.pointee.callback.function, UInt32(truncatingIfNeeded: frameCount), now)
  driver.pointee.outputGap.apply(to: driver.pointee.callback.outputs, frameCount)
  driver.pointee.renderedFrames &+= frameCount
  if hasFollowers { playFollowers(driver, frameCount, lateFrames: lateFrames()) }
}

@_noLocks
func recordClipped(_ driver: UnsafeMutablePointer<DriverState>, _ count: Int) {
  if count > 0 { driver.pointee.clippedSamples.add(count, ordering: .relaxed) }
}

/// Counts an interruption of a follower, unless it is part of one that was already counted.
///
/// If the process is stopped, all devices have an xrun.
@_noLocks
func countFollowerLoss(_ driver: UnsafeMutablePointer<DriverState>) {
  if driver.pointee.hasCountedForFollowers { return }
  driver.pointee.xruns.add(1, ordering: .relaxed)
  driver.pointee.hasCountedForFollowers = true
  driver.pointee.hasCountedFollower = true
}

/// Ends a complete block: later faults are another interruption.
@_noLocks
func endInterruption(_ driver: UnsafeMutablePointer<DriverState>) {
  driver.pointee.hasCountedForFollowers = false
  driver.pointee.hasCountedFollower = false
}

/// Counts one interruption, from the last complete period until now, and fades over it.
@_noLocks
func countLoss(_ duplex: UnsafeMutablePointer<DuplexState>) {
  let driver = duplex.pointee.driver
  // The silence at the start of playback is lost audio, too.
  let silence = 1e9 * Double(duplex.pointee.playback?.pointee.filledFrames ?? 0)
  let now =
    crealtime_nanoseconds() &+ UInt64(silence / duplex.pointee.sampleRateHz)
  driver.pointee.interruptionCount &+= 1
  driver.pointee.interruptedSince.store(0, ordering: .relaxed)
  if !driver.pointee.hasCountedFollower { driver.pointee.xruns.add(1, ordering: .relaxed) }
  driver.pointee.hasCountedFollower = false
  driver.pointee.hasCountedForFollowers = true
  driver.pointee.lostNanoseconds.add(
    now &- min(now, driver.pointee.lastProgress), ordering: .relaxed)
  driver.pointee.lastProgress = crealtime_nanoseconds()
  driver.pointee.inputGap.begin(after: driver.pointee.callback.inputs)
  driver.pointee.outputGap.startFromSilence()
}

/// Waits for the next block of the system clock, and renders it.
@_noLocks
private func renderFreeRunning(_ driver: UnsafeMutablePointer<DriverState>) {
  // A long block is waited for in parts, so that a stop or a returning device is not delayed.
  let longest: UInt64 = 20_000_000
  let now = crealtime_nanoseconds()
  let due = driver.pointee.due &+ freeRunBlockNanoseconds(driver)
  if now < due {
    crealtime_sleep_until(min(due, now &+ longest))
  } else {
    renderIfDue(driver, now)
  }
}

/// The block length of the system clock, in nanoseconds.
@_noLocks
private func freeRunBlockNanoseconds(_ driver: UnsafeMutablePointer<DriverState>) -> UInt64 {
  UInt64(1e9 * Double(driver.pointee.blockFrames) / driver.pointee.sampleRateHz)
}

/// Renders a block if it is due by the system clock.
///
/// Nothing is captured or played, but the graph and its tails continue.
@_noLocks
private func renderIfDue(_ driver: UnsafeMutablePointer<DriverState>, _ now: UInt64) {
  let block = freeRunBlockNanoseconds(driver)
  let due = driver.pointee.due &+ block
  if now < due { return }
  // The process was stopped for a while: missed blocks are skipped.
  let wasStopped = now > due &+ 4 &* block
  driver.pointee.due = wasStopped ? now : due
  if wasStopped { driver.pointee.interruptionCount &+= 1 }
  let inputs = driver.pointee.callback.inputs
  for channel in 0 ..< inputs.channelCount {
    crealtime_zero(inputs[channel], UInt32(truncatingIfNeeded: driver.pointee.blockFrames))
  }
  let late = Double(now &- driver.pointee.due) * driver.pointee.sampleRateHz / 1e9
  renderCycle(driver, driver.pointee.blockFrames, lateFrames: late, at: now)
  endInterruption(driver)
}
