// AdaptiveOutput.swift: a playback device on the primary device's clock. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit

/// Takes frames at the rate of the primary device and returns them at the rate of a playback
/// device.
///
/// Each period: `observe` the device's fill, `push` one block, `pull` the frames that the device
/// has room for. The other frames wait here. A `DelayLockedLoop` keeps both together at a target by
/// controlling the resampler. If they underrun or overrun, the audio is faded out. Silence or
/// nothing is returned until the target is met, the audio is faded in, and the incident is counted.
/// Nothing here fails, waits or allocates after `init`. One thread at a time.
package struct AdaptiveOutput: ~Copyable {
  /// The delay from `push` to the playback of the block's first frame, in frames of the primary
  /// device.
  package let latencyFrames: Double
  /// The target of frames that are not played yet, before a block is pushed, in frames of the
  /// device.
  package let targetFrames: Int
  /// The current status. [render]
  package private(set) var status = FollowerStatus()

  private let request: FollowerSettings
  private let nominalRatio: Double
  private var isRunning = false
  private var loop: DelayLockedLoop
  private var range: DriftRangeMonitor
  /// The number of frames for the device so far.
  private var outputFrames = 0
  private var elastic: ElasticBuffer
  private var converter: VariableRatioResampler
  private let block: PlanarBuffer
  private let silence: PlanarBuffer
  private var fadedInFrames = 0
  private var excessCount = 0

  /// Allocates all memory. [main]
  package init(_ request: FollowerSettings) throws(AdaptiveResamplingError) {
    try request.check()
    let ratio = request.deviceRateHz / request.primaryRateHz
    let converter = try VariableRatioResampler(
      channelCount: request.channelCount, ratio: ratio,
      lowestRatio: ratio * (1 - DelayLockedLoop.correctionLimit), quality: request.quality)
    let target = TargetFill(
      request, blockFrames: Double(request.blockFrames) * ratio,
      lookAheadFrames: Double(converter.lookAheadFrames) * ratio)
    self.request = request
    nominalRatio = ratio
    targetFrames = target.frames
    latencyFrames = Double(target.frames) / ratio
    range = DriftRangeMonitor(request)
    loop = DelayLockedLoop(
      rateHz: request.deviceRateHz, reopeningFrames: target.reopeningFrames)
    elastic = ElasticBuffer(
      channelCount: request.channelCount,
      capacityFrames: 3 * target.frames + request.deviceBufferFrames)
    block = PlanarBuffer(
      channelCount: 1, frameCapacity: request.blockFrames * request.channelCount)
    silence = PlanarBuffer(
      channelCount: 1, frameCapacity: converter.lookAheadFrames * request.channelCount)
    self.converter = converter
  }

  /// Controls the resampler by the frames that the device has yet to play, before the `push` of
  /// `blockFrames`. [render]
  @_noLocks
  package mutating func observe(_ observation: ClockObservation, blockFrames: Int) {
    let lag = request.positionLagFrames(of: observation, loop)
    let queued = observation.deviceFrames - lag + observation.primaryLateFrames * nominalRatio
    range.record(position: Double(outputFrames) - queued, blockFrames: blockFrames)
    status.unfollowablePartsPerMillion = range.partsPerMillion
    let totalFrames = queued + heldFrames
    let excess = totalFrames - Double(targetFrames)
    guard isRunning else { return begin(excess: excess) }
    if observation.deviceFrames < 0 {
      status.underrunCount &+= 1
      leave()
      begin(excess: totalFrames - Double(targetFrames))
    } else {
      adjustRatio(error: excess, blockFrames: blockFrames)
    }
  }

  /// Takes exactly `frameCount` frames, at most `blockFrames` of the settings. [render]
  @_noLocks
  package mutating func push(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    guard isRunning else { return }
    let channelCount = request.channelCount
    interleave(rows, channelCount: channelCount, offset: 0, count: frameCount, to: block[0])
    fadedInFrames = fadeIn(
      block[0], channelCount: channelCount, count: frameCount, done: fadedInFrames)
    let room = min(elastic.roomFrames, request.deviceBufferFrames + 2 &* targetFrames)
    let counts = converter.convert(
      block[0], inputFrames: frameCount, to: elastic.reserve(room), outputFrames: room)
    elastic.advanceWriteIndex(counts.made)
    guard counts.used < frameCount || counts.made == room else { return }
    status.overrunCount &+= 1
    leave()
  }

  /// Writes at most `frameCount` frames to the device's channel buffers, from `offset` on.
  ///
  /// Returns the number of frames. [render]
  @_noLocks
  package mutating func pull(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int = 0, frameCount: Int
  ) -> Int {
    let count = min(frameCount, elastic.frameCount)
    deinterleave(
      elastic.oldest, channelCount: request.channelCount, count: count, to: rows, offset: offset)
    elastic.drop(count)
    outputFrames &+= count
    return count
  }

  /// Restarts, as after the device was lost or restarted.
  ///
  /// Waiting frames are skipped except for a fade. The learnt drift is kept. [render]
  @_noLocks
  package mutating func restart() {
    range.pause()
    if isRunning { leave() }
  }

  /// Records that the primary device stalled, so that the position of the device is ignored.
  /// [render]
  @_noLocks
  package mutating func handlePrimaryXrun() { range.restart() }

  /// The current fill in frames of the device, including the resampler: a fraction. [render]
  package var heldFrames: Double {
    @_noLocks get { Double(elastic.frameCount) + converter.pendingFrames * nominalRatio }
  }

  // MARK: - Steps

  /// Starts with the missing silence, or waits until the device has played a surplus.
  @_noLocks
  private mutating func begin(excess: Double) {
    guard excess < 0.5 else { return }
    elastic.appendSilence(min(elastic.roomFrames, Int(0.5 - excess)))
    loop.resume()
    excessCount = 0
    fadedInFrames = 0
    isRunning = true
    status.phase = .locking
    converter.ratio = nominalRatio * (1 + (request.clocksDiffer ? loop.correction : 0))
  }

  @_noLocks
  private mutating func adjustRatio(error: Double, blockFrames: Int) {
    // A fast device has too few frames, so the error has the opposite sign.
    let correction = loop.update(
      errorFrames: -error, elapsedSeconds: Double(blockFrames) / request.primaryRateHz)
    if request.clocksDiffer { converter.ratio = nominalRatio * (1 + correction) }
    status.take(loop)
    status.fillErrorFrames = -loop.smoothedErrorFrames
    // Twice the promised latency, in more than one reading.
    excessCount = error > Double(targetFrames) ? excessCount &+ 1 : 0
    if excessCount >= 3 {
      status.overrunCount &+= 1
      leave()
    }
  }

  /// Drops all waiting frames except those that are faded out.
  ///
  /// If none wait, because the device has all of them, the output of the resampler for half a
  /// filter length of silence is faded out.
  @_noLocks
  private mutating func leave() {
    if elastic.frameCount < fadeFrames {
      let counts = converter.convert(
        silence[0], inputFrames: converter.lookAheadFrames, to: elastic.reserve(fadeFrames),
        outputFrames: fadeFrames)
      elastic.advanceWriteIndex(counts.made)
    }
    elastic.keep(fadeFrames)
    fadeOut(elastic.oldest, channelCount: request.channelCount, count: elastic.frameCount)
    converter.reset()
    isRunning = false
    status.phase = .filling
  }
}
