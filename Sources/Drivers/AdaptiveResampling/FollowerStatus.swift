// FollowerStatus.swift: the status of a follower. SPDX-License-Identifier: MIT

/// The status of a follower.
package struct FollowerStatus: BitwiseCopyable, Equatable, Sendable {
  /// The phase of a follower.
  package enum Phase: UInt8, BitwiseCopyable, Sendable {
    /// The device transfers nothing yet, or was lost: silence.
    case filling
    /// Audio, at a drift that is not yet known exactly.
    case locking
    /// Audio, at a known drift.
    case locked
  }

  /// The current phase.
  package var phase = Phase.filling
  /// The difference of the device's clock from the primary device's, apart from the nominal rates.
  package var driftPartsPerMillion = 0.0
  /// The smoothed surplus over the target, in frames of the device.
  package var fillErrorFrames = 0.0
  /// The jitter of the device's position: mean square, in its frames squared.
  package var squaredJitter = 0.0
  /// The difference of the device's clock if it is too large to be followed; otherwise 0.
  package var unfollowablePartsPerMillion = 0.0
  /// The number of underruns, which inserted silence.
  package var underrunCount = 0
  /// The number of overruns, which dropped audio.
  package var overrunCount = 0

  /// Creates the status of a device without observations. [any]
  @_noLocks
  package init() {}

  /// The jitter of the device's position: root mean square, in its frames. [main]
  package var jitterFrames: Double { squaredJitter.squareRoot() }
}
