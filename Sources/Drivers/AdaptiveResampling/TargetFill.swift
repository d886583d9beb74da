// TargetFill.swift: computes the fill that prevents underruns and overruns.
// SPDX-License-Identifier: MIT

/// The smallest fill that prevents underruns of a follower, and the loop's share of it.
struct TargetFill {
  /// The total fill, in frames of the device.
  let frames: Int
  /// A larger smoothed error is not noise: the device's clock has jumped.
  let reopeningFrames: Double

  /// Adds up one block, the resampler's look-ahead, the step of the device's position, and the
  /// error of the loop while it learns a drift of 500 ppm: half a millisecond, and half of the
  /// steps.
  init(_ request: FollowerSettings, blockFrames: Double, lookAheadFrames: Double) {
    let step = Double(request.deviceStepFrames)
    let jitterFrames = request.clocksDiffer ? request.deviceRateHz / 2_000 : 0
    let coarse = request.clocksDiffer ? step / 2 : 0
    frames = Int((blockFrames + lookAheadFrames + step + coarse + jitterFrames).rounded(.up)) + 1
    reopeningFrames = jitterFrames * 0.75 + step / 2
  }
}

extension FollowerStatus {
  /// Copies the state of the loop.
  @_noLocks
  mutating func take(_ loop: DelayLockedLoop) {
    phase = loop.isSettled ? .locked : .locking
    driftPartsPerMillion = loop.driftPartsPerMillion
    fillErrorFrames = loop.smoothedErrorFrames
    squaredJitter = loop.squaredJitter
  }
}
