// ClockObservation.swift: where two devices stand at one moment. SPDX-License-Identifier: MIT

/// What the audio thread saw of a followed device, and of its master, in one period.
package struct ClockObservation: BitwiseCopyable, Sendable {
  /// Frames in the device's own buffer.
  ///
  /// What can be read of a capture device beyond what was already pushed: negative where that was more than
  /// it had then. What is not yet played of a playback device: negative after an overlooked underrun.
  package var deviceFrames: Double
  /// How long ago that was true, in seconds.
  ///
  /// Now less the time of the interrupt that told of it. Nil where there is no such time; then the position
  /// is taken to lag by half the pointer's granularity, as it does on the average.
  package var ageSeconds: Double?
  /// How long the master's period had been over when this was seen, in frames of the master.
  ///
  /// What can be read of its capture side beyond the period. It keeps a late wake-up from looking like
  /// drift. 0 where it is not known.
  package var masterLateFrames: Double

  /// An observation. [any]
  @_noLocks
  package init(deviceFrames: Double, ageSeconds: Double? = nil, masterLateFrames: Double = 0) {
    self.deviceFrames = deviceFrames
    self.ageSeconds = ageSeconds
    self.masterLateFrames = masterLateFrames
  }
}
