// PipeInputBlock.swift: reads an input stream on the audio thread. SPDX-License-Identifier: MIT
//
// Real-time code: nothing here allocates, frees, locks, waits, throws or logs.

import AdaptiveResampling
import CRealtime
import RealtimeKit
import Synchronization

/// Fills `frameCount` frames of the channel buffers from the stream at a time on CLOCK_MONOTONIC,
/// in ns. [render]
@_noLocks
func readInputBlock(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: UInt64
) {
  let isLeaving = changeResampler(feed)
  switch feed.pointee.mode {
  case .undecided:
    silence(feed, rows, 0, frameCount)
    handleUnderrun(feed, at: now)
  case .direct:
    copyFrames(feed, rows, frameCount, at: now)
    if isLeaving { fadeOut(feed, rows, frameCount) }
  case .resampled: resample(feed, rows, frameCount, at: now, follows: false)
  case .followed: resample(feed, rows, frameCount, at: now, follows: true)
  }
}

// MARK: - Direct

/// Copies frames unchanged.
@_noLocks
private func copyFrames(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: UInt64
) {
  // In this order, the frames before the reported end are visible.
  let hasEnded = feed.pointee.hasEnded.load(ordering: .acquiring)
  let bufferedFrames = feed.pointee.ring.pointee.heldFrameCount
  let wasDry = feed.pointee.isDry
  if wasDry, bufferedFrames < feed.pointee.safetyFrames, !hasEnded {
    silence(feed, rows, 0, frameCount)
    feed.pointee.silentFrames.add(frameCount, ordering: .relaxed)
    return
  }
  let count = copyOut(feed, rows, min(bufferedFrames, frameCount))
  silence(feed, rows, count, frameCount &- count)
  if wasDry { fadeIn(feed, rows, count) }
  if hasEnded, count == bufferedFrames {
    end(feed)
  } else if count < frameCount {
    fadeOut(feed, rows, count)
    feed.pointee.silentFrames.add(frameCount &- count, ordering: .relaxed)
    handleUnderrun(feed, at: now)
  } else {
    flow(feed)
  }
}

/// Reads frames from the ring; returns how many, at most the requested and available number.
@_noLocks
private func copyOut(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int
) -> Int {
  let ring = feed.pointee.ring
  var done = 0
  while done < count, let piece = ring.pointee.next(atMost: count &- done) {
    if case .frames(let start, let length) = piece {
      for channel in 0 ..< feed.pointee.channelCount {
        crealtime_copy(
          rows[channel] + done, ring.pointee.buffers[channel] + start,
          UInt32(truncatingIfNeeded: length))
      }
      done &+= length
    }
    ring.pointee.drop(piece)
  }
  return done
}

// MARK: - Resampled

@_noLocks
private func resample(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: UInt64,
  follows: Bool
) {
  guard let input = feed.pointee.input else {
    silence(feed, rows, 0, frameCount)
    return
  }
  let hasEnded = feed.pointee.hasEnded.load(ordering: .acquiring)
  push(feed, input, follows ? .max : missing(input))
  let isFlushed = hasEnded && feed.pointee.ring.pointee.heldFrameCount == 0
  if isFlushed { flush(feed, input) }
  // A non-live or finished source is at its target.
  input.pointee.observe(
    follows && !isFlushed
      ? observation(feed, at: now) : ClockObservation(deviceFrames: 0, ageSeconds: 0),
    blockFrames: frameCount)
  input.pointee.pull(rows, frameCount: frameCount)
  recordArrival(feed, input, frameCount, at: now)
  if hasEnded, feed.pointee.flushedFrames >= input.pointee.targetFrames { end(feed) }
}

/// Returns how many frames are missing to the target fill.
@_noLocks
private func missing(_ input: UnsafeMutablePointer<AdaptiveInput>) -> Int {
  max(0, input.pointee.targetFrames &- Int(input.pointee.heldFrames))
}

/// Passes at most `limit` frames of the ring to the resampler.
@_noLocks
private func push(
  _ feed: UnsafeMutablePointer<PipeInputState>, _ input: UnsafeMutablePointer<AdaptiveInput>,
  _ limit: Int
) {
  let ring = feed.pointee.ring
  var left = min(limit, ring.pointee.heldFrameCount)
  while left > 0, let piece = ring.pointee.next(atMost: left) {
    if case .frames(let start, let count) = piece {
      input.pointee.push(ring.pointee.buffers, offset: start, frameCount: count)
      left &-= count
    }
    ring.pointee.drop(piece)
  }
}

/// Passes silence to the resampler after the end, so that it outputs its remaining frames.
@_noLocks
private func flush(
  _ feed: UnsafeMutablePointer<PipeInputState>, _ input: UnsafeMutablePointer<AdaptiveInput>
) {
  var left = missing(input)
  while left > 0 {
    let count = min(left, feed.pointee.silence.frameCapacity)
    input.pointee.push(feed.pointee.silence.channels, frameCount: count)
    feed.pointee.flushedFrames &+= count
    left &-= count
  }
}

/// Returns the position of the source at its last data, and the age of that data.
@_noLocks
private func observation(
  _ feed: UnsafeMutablePointer<PipeInputState>, at now: UInt64
) -> ClockObservation {
  let mark = feed.pointee.mark.load(ordering: .acquiring)
  let arrived = UInt32(truncatingIfNeeded: mark >> 32)
  let taken = UInt32(truncatingIfNeeded: feed.pointee.ring.pointee.consumedFrameCount)
  let ticks = UInt32(truncatingIfNeeded: now / 8_000) &- UInt32(truncatingIfNeeded: mark)
  // Data that arrived during this block is not in the past.
  let elapsedSeconds = ticks > UInt32.max / 2 ? 0 : Double(ticks) * 8e-6
  return ClockObservation(
    deviceFrames: Double(Int32(truncatingIfNeeded: arrived &- taken)),
    // The position of a stalled source cannot be extrapolated.
    ageSeconds: min(elapsedSeconds, LiveSourceDetector.longestStepSeconds))
}

/// Publishes the status of the resampling.
@_noLocks
private func recordArrival(
  _ feed: UnsafeMutablePointer<PipeInputState>, _ input: UnsafeMutablePointer<AdaptiveInput>,
  _ frameCount: Int, at now: UInt64
) {
  let status = input.pointee.status
  if status.overrunCount != feed.pointee.knownOverruns {
    feed.pointee.knownOverruns = status.overrunCount
    feed.pointee.overCount.add(1, ordering: .relaxed)
  }
  if status.underrunCount != feed.pointee.knownUnderruns {
    feed.pointee.knownUnderruns = status.underrunCount
    handleUnderrun(feed, at: now)
  } else if input.pointee.isSilent {
    // Restart after an overrun.
    pause(feed, at: now)
  } else {
    flow(feed)
  }
  if feed.pointee.isDry { feed.pointee.silentFrames.add(frameCount, ordering: .relaxed) }
  // A pattern, because `==` of an enumeration with raw values is generic. A known drift stays
  // known.
  if case .locked = status.phase {
    feed.pointee.drift.store(status.driftPartsPerMillion.bitPattern, ordering: .relaxed)
  }
  feed.pointee.excess.store(status.fillErrorFrames.bitPattern, ordering: .relaxed)
}

/// Takes another resampler, or releases one, while it is inaudible; returns whether the current
/// audio must first be faded out in this block.
@_noLocks
private func changeResampler(_ feed: UnsafeMutablePointer<PipeInputState>) -> Bool {
  guard feed.pointee.arriving.load(ordering: .relaxed) != nil else { return false }
  if let input = feed.pointee.input {
    if isResampling(feed), !input.pointee.isSilent {
      input.pointee.restart()
      return false
    }
    // One at a time: the reader has not freed the previous one yet.
    guard feed.pointee.departed.load(ordering: .relaxed) == nil else { return false }
    feed.pointee.departed.store(input, ordering: .releasing)
  }
  // Pairs with the releasing store in `PipeInputReader.handOver`.
  feed.pointee.input = feed.pointee.arriving.exchange(nil, ordering: .acquiring)
  feed.pointee.knownUnderruns = 0
  feed.pointee.knownOverruns = 0
  feed.pointee.drift.store(Double.nan.bitPattern, ordering: .relaxed)
  return true
}

@_noLocks
private func isResampling(_ feed: UnsafeMutablePointer<PipeInputState>) -> Bool {
  switch feed.pointee.mode {
  case .resampled, .followed: true
  case .undecided, .direct: false
  }
}

// MARK: - Phases

@_noLocks
private func flow(_ feed: UnsafeMutablePointer<PipeInputState>) {
  switch feed.pointee.phase {
  case .flowing, .finished: return
  case .fresh, .underrun: break
  }
  feed.pointee.phase = .flowing
  resume(feed)
}

@_noLocks
private func handleUnderrun(_ feed: UnsafeMutablePointer<PipeInputState>, at now: UInt64) {
  guard case .flowing = feed.pointee.phase else { return pause(feed, at: now) }
  feed.pointee.phase = .underrun
  if feed.pointee.hasEnded.load(ordering: .acquiring) { return }
  feed.pointee.dryCount.add(1, ordering: .relaxed)
  feed.pointee.underrunStart.store(max(1, now), ordering: .relaxed)
}

/// Records that the stream is silent without an underrun: it fills up.
@_noLocks
private func pause(_ feed: UnsafeMutablePointer<PipeInputState>, at now: UInt64) {
  switch feed.pointee.phase {
  case .fresh: break
  case .flowing: feed.pointee.phase = .underrun
  case .underrun, .finished: return
  }
  guard feed.pointee.silentSince.load(ordering: .relaxed) == 0 else { return }
  feed.pointee.silentSince.store(max(1, now), ordering: .relaxed)
}

/// Records that the stream is audible, or has ended.
@_noLocks
private func resume(_ feed: UnsafeMutablePointer<PipeInputState>) {
  feed.pointee.underrunStart.store(0, ordering: .relaxed)
  feed.pointee.silentSince.store(0, ordering: .relaxed)
}

@_noLocks
private func end(_ feed: UnsafeMutablePointer<PipeInputState>) {
  feed.pointee.phase = .finished
  resume(feed)
  feed.pointee.isOver.store(true, ordering: .releasing)
}

// MARK: - Channel buffers

@_noLocks
private func silence(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ start: Int, _ count: Int
) {
  for channel in 0 ..< feed.pointee.channelCount {
    crealtime_zero(rows[channel] + start, UInt32(truncatingIfNeeded: count))
  }
}

/// Fades the last frames of `count`, at most a few milliseconds, to silence.
@_noLocks
private func fadeOut(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int
) {
  rampEdge(rows, feed.pointee.channelCount, from: max(0, count &- edgeFrames), to: count, up: false)
}

@_noLocks
private func fadeIn(
  _ feed: UnsafeMutablePointer<PipeInputState>,
  _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int
) {
  rampEdge(rows, feed.pointee.channelCount, from: 0, to: min(count, edgeFrames), up: true)
}
