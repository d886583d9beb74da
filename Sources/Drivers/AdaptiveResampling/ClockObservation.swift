// ClockObservation.swift: the positions of two devices at one moment. SPDX-License-Identifier: MIT

/// The audio thread's observation of a follower and of the primary device in one period.
package struct ClockObservation: BitwiseCopyable, Sendable {
  /// Frames in the device's own buffer.
  ///
  /// For a capture device, the frames that can be read beyond those that were pushed: negative if
  /// more were pushed than it had. For a playback device, the frames that are not played yet:
  /// negative after an undetected underrun.
  package var deviceFrames: Double
  /// The age of the observation, in seconds.
  ///
  /// That is the current time minus the time of the reporting interrupt. Nil if that time is
  /// unknown. The position then counts as late by half the pointer's granularity, which is the
  /// average.
  package var ageSeconds: Double?
  /// The time since the end of the primary device's period, in its frames.
  ///
  /// These are the frames that can be read of its capture beyond the period. The value keeps a late
  /// wake-up from looking like drift. 0 if unknown.
  package var primaryLateFrames: Double

  /// Creates an observation. [any]
  @_noLocks
  package init(deviceFrames: Double, ageSeconds: Double? = nil, primaryLateFrames: Double = 0) {
    self.deviceFrames = deviceFrames
    self.ageSeconds = ageSeconds
    self.primaryLateFrames = primaryLateFrames
  }
}
