// FollowerStatus.swift: how the following of a device goes. SPDX-License-Identifier: MIT

/// The status of a follower.
package struct FollowerStatus: BitwiseCopyable, Equatable, Sendable {
  /// How far it is.
  package enum Phase: UInt8, BitwiseCopyable, Sendable {
    /// The device gives or takes nothing yet, or was lost: silence.
    case waiting
    /// Sound, at a drift that is not yet known well.
    case learning
    /// Sound, at a known drift.
    case settled
  }

  /// How far it is.
  package var phase = Phase.waiting
  /// The difference of the device's clock from the primary device's, apart from the nominal rates.
  package var driftPartsPerMillion = 0.0
  /// What is held beyond the target, smoothed, in frames of the device.
  package var fillErrorFrames = 0.0
  /// The jitter of the device's position: mean square, in its frames squared.
  package var squaredJitter = 0.0
  /// How much faster the device's clock runs, where that is more than can be followed; else 0.
  package var unfollowablePartsPerMillion = 0.0
  /// How often there was too little, and silence was put in.
  package var underrunCount = 0
  /// How often there was too much, and sound was left out.
  package var overrunCount = 0

  /// Creates the status of a device without observations. [any]
  @_noLocks
  package init() {}

  /// The jitter of the device's position: root mean square, in its frames. [main]
  package var jitterFrames: Double { squaredJitter.squareRoot() }
}
