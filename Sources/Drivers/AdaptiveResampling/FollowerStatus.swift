// FollowerStatus.swift: how the following of a device goes. SPDX-License-Identifier: MIT

/// What can be said of a followed device.
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
  /// How much faster the device's clock runs than the master's, nominal rates taken off.
  package var driftPartsPerMillion = 0.0
  /// What is held beyond the target, smoothed, in frames of the device.
  package var fillErrorFrames = 0.0
  /// How unsteadily the device's position was seen to move: mean square, in its frames squared.
  package var squaredJitter = 0.0
  /// How much faster the device's clock runs, where that is more than can be followed; else 0.
  package var unfollowablePartsPerMillion = 0.0
  /// How often there was too little, and silence was put in.
  package var underrunCount = 0
  /// How often there was too much, and sound was left out.
  package var overrunCount = 0

  /// Of a device that was not yet heard of. [any]
  @_noLocks
  package init() {}

  /// How unsteadily the device's position was seen to move: root mean square, in its frames. [main]
  package var jitterFrames: Double { squaredJitter.squareRoot() }
}
