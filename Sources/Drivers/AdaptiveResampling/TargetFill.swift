// TargetFill.swift: how much must be held so that neither side ever waits. SPDX-License-Identifier: MIT

/// The least that keeps a followed device from running empty, and what of it is for the loop.
struct TargetFill {
  /// Held in all, in frames of the device.
  let frames: Int
  /// A larger smoothed error is not noise: the device's clock has jumped.
  let reopeningFrames: Double

  /// One block, what the resampler looks ahead, what the pointer may hide, and what the loop may be
  /// off while it learns a drift of 500 ppm: half a millisecond, and half as many steps again.
  init(_ request: FollowerSettings, blockFrames: Double, lookAheadFrames: Double) {
    let step = Double(request.deviceStepFrames)
    let wander = request.clocksDiffer ? request.deviceRateHz / 2_000 : 0
    let coarse = request.clocksDiffer ? step / 2 : 0
    frames = Int((blockFrames + lookAheadFrames + step + coarse + wander).rounded(.up)) + 1
    reopeningFrames = wander * 0.75 + step / 2
  }
}

extension FollowerStatus {
  /// Copies the state of the loop.
  @_noLocks
  mutating func take(_ loop: DelayLockedLoop) {
    phase = loop.isSettled ? .settled : .learning
    driftPartsPerMillion = loop.driftPartsPerMillion
    fillErrorFrames = loop.smoothedErrorFrames
    squaredJitter = loop.squaredJitter
  }
}
