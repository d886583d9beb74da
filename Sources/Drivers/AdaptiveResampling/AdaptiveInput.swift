// AdaptiveInput.swift: a capture device on the primary device's clock. SPDX-License-Identifier: MIT

import CRealtime
import RealtimeKit

/// Takes frames at the rate of a capture device and returns them at the rate of the primary device.
///
/// Each period: `push` all frames of the device, `observe` the frames left in it, `pull` one block.
/// A `DelayLockedLoop` keeps an elastic buffer between the two at its target by controlling the
/// resampler. If the buffer underruns or overruns, the audio is faded out. The buffer is emptied,
/// filled to the target and faded in, and the incident is counted. Nothing here fails, waits or
/// allocates after `init`. One thread at a time; a fixed address is usual but not required.
package struct AdaptiveInput: ~Copyable {
  /// The delay from the capture of the block's first frame to its `pull`, in frames of the primary
  /// device.
  ///
  /// For the primary device's own capture this is one period.
  package let latencyFrames: Double
  /// The target fill before a block is pulled, in frames of the device.
  package let targetFrames: Int
  /// The current status. [render]
  package private(set) var status = FollowerStatus()

  /// Whether `pull` returns silence, except for a fade-out.
  package var isSilent: Bool { @_noLocks get { if case .filling = phase { true } else { false } } }

  private enum Phase { case filling, running, leaving }

  private let request: FollowerSettings
  private let nominalRatio: Double
  private var phase = Phase.filling
  private var loop: DelayLockedLoop
  private var range: DriftRangeMonitor
  /// The number of frames from the device so far.
  private var consumedFrames = 0
  private var elastic: ElasticBuffer
  private var converter: VariableRatioResampler
  private let block: PlanarBuffer
  private let silence: PlanarBuffer
  private var fadedInFrames = 0
  private var excessCount = 0

  /// Allocates all memory. [main]
  package init(_ request: FollowerSettings) throws(AdaptiveResamplingError) {
    try request.check()
    let ratio = request.primaryRateHz / request.deviceRateHz
    let converter = try VariableRatioResampler(
      channelCount: request.channelCount, ratio: ratio,
      lowestRatio: ratio / (1 + DelayLockedLoop.correctionLimit), quality: request.quality)
    let target = TargetFill(
      request, blockFrames: Double(request.blockFrames) / ratio,
      lookAheadFrames: Double(converter.lookAheadFrames))
    self.request = request
    nominalRatio = ratio
    targetFrames = target.frames
    latencyFrames = Double(target.frames) * ratio
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

  /// Takes frames that the device has captured, from `offset` of each channel buffer.
  ///
  /// More frames than fit cause a restart, because the primary device stalled. [render]
  @_noLocks
  package mutating func push(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int = 0, frameCount: Int
  ) {
    consumedFrames &+= frameCount
    var offset = offset
    // Frames that arrive during the fade-out are skipped, because they would cause a jump.
    var count = phase == .leaving ? 0 : frameCount
    // In parts, so that only the newest frames are kept.
    while count > 0 {
      let part = min(count, targetFrames)
      guard freeSpace(part) else { return }
      interleave(
        rows, channelCount: request.channelCount, offset: offset, count: part,
        to: elastic.reserve(part))
      elastic.advanceWriteIndex(part)
      offset &+= part
      count &-= part
    }
  }

  /// Controls the resampler by the fill of the device after the `push`, before the `pull` of
  /// `blockFrames`. [render]
  @_noLocks
  package mutating func observe(_ observation: ClockObservation, blockFrames: Int) {
    let lag = request.positionLagFrames(of: observation, loop)
    let left = observation.deviceFrames + lag - observation.primaryLateFrames / nominalRatio
    range.record(position: Double(consumedFrames) + left, blockFrames: blockFrames)
    status.unfollowablePartsPerMillion = range.partsPerMillion
    let error = left + heldFrames - Double(targetFrames)
    switch phase {
    case .filling: begin(excess: error)
    case .leaving: break
    case .running: adjustRatio(error: error, blockFrames: blockFrames)
    }
  }

  /// Writes exactly `frameCount` frames, at most `blockFrames` of the settings, to the channel
  /// buffers. [render]
  @_noLocks
  package mutating func pull(
    _ rows: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    let channelCount = request.channelCount
    let frames = block[0]
    var made = 0
    if phase != .filling {
      made = convert(frameCount)
      fadedInFrames = fadeIn(frames, channelCount: channelCount, count: made, done: fadedInFrames)
    }
    if phase == .running, made < frameCount {
      status.underrunCount &+= 1
      phase = .leaving
    }
    if phase == .leaving { made = leave(made: made, frameCount: frameCount) }
    crealtime_zero(
      frames + made &* channelCount,
      UInt32(truncatingIfNeeded: (frameCount &- made) &* channelCount))
    deinterleave(frames, channelCount: channelCount, count: frameCount, to: rows, offset: 0)
  }

  /// Restarts, as after the device was lost or restarted.
  ///
  /// The audio is faded out with the next `pull`, and faded in when the device has delivered
  /// enough. The learnt drift is kept. [render]
  @_noLocks
  package mutating func restart() {
    range.pause()
    if phase == .running { phase = .leaving }
  }

  /// Records that the primary device stalled, so that the position of the device is ignored.
  /// [render]
  @_noLocks
  package mutating func handlePrimaryXrun() { range.restart() }

  /// The current fill in frames of the device, including the resampler: a fraction. [render]
  package var heldFrames: Double {
    @_noLocks get { Double(elastic.frameCount) + converter.pendingFrames }
  }

  // MARK: - Steps

  /// Skips the oldest frames if necessary, as long as they are inaudible; false if one is audible.
  @_noLocks
  private mutating func freeSpace(_ count: Int) -> Bool {
    let missing = count &- elastic.roomFrames
    guard missing > 0 else { return true }
    guard phase == .filling else {
      status.overrunCount &+= 1
      phase = .leaving
      return false
    }
    elastic.drop(min(missing, elastic.frameCount))
    return true
  }

  /// Starts if there are enough frames.
  ///
  /// Surplus frames are skipped because none was played yet.
  @_noLocks
  private mutating func begin(excess: Double) {
    guard excess >= -0.5 else { return }
    let drop = Int(excess + 0.5)
    guard drop <= elastic.frameCount else {
      elastic.drop(elastic.frameCount)
      return
    }
    elastic.drop(drop)
    loop.resume()
    excessCount = 0
    fadedInFrames = 0
    phase = .running
    status.phase = .locking
    converter.ratio = nominalRatio / (1 + (request.clocksDiffer ? loop.correction : 0))
  }

  @_noLocks
  private mutating func adjustRatio(error: Double, blockFrames: Int) {
    let correction = loop.update(
      errorFrames: error, elapsedSeconds: Double(blockFrames) / request.primaryRateHz)
    if request.clocksDiffer { converter.ratio = nominalRatio / (1 + correction) }
    status.take(loop)
    // Twice the promised latency, in more than one reading.
    excessCount = error > Double(targetFrames) ? excessCount &+ 1 : 0
    if excessCount >= 3 {
      status.overrunCount &+= 1
      phase = .leaving
    }
  }

  /// Fills the block from the held frames; returns the number of frames.
  @_noLocks
  private mutating func convert(_ frameCount: Int) -> Int {
    let counts = converter.convert(
      elastic.oldest, inputFrames: elastic.frameCount, to: block[0], outputFrames: frameCount)
    elastic.drop(counts.used)
    return counts.made
  }

  /// Fades out within the frames that are available and the output of half a filter length of
  /// silence.
  ///
  /// The other frames are dropped. Returns how much of the block is audio.
  @_noLocks
  private mutating func leave(made: Int, frameCount: Int) -> Int {
    let channelCount = request.channelCount
    let more = converter.convert(
      silence[0], inputFrames: converter.lookAheadFrames,
      to: block[0] + made &* channelCount, outputFrames: min(frameCount &- made, fadeFrames)
    ).made
    fadeOut(block[0], channelCount: channelCount, count: made &+ more)
    elastic.drop(elastic.frameCount)
    converter.reset()
    phase = .filling
    status.phase = .filling
    return made &+ more
  }
}
