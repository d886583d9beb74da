// FeedbackEvent.swift: the events of feedback suppression. SPDX-License-Identifier: MIT

/// An action of feedback suppression, or its end.
package struct FeedbackEvent: BitwiseCopyable, Sendable, Equatable {
  /// The action.
  package enum Action: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// A tone was the loop's: it fell when its frequency was taken out, which stays out.
    case notched
    /// The whole output was attenuated, because no single tone explained the feedback, or too many
    /// did.
    case ducked
    /// A notch was removed slowly, and the feedback did not return.
    case released
    /// A tone continued without the loop: its notch was removed at once, and the tone is ignored.
    case ignored
  }

  /// The action.
  package var action: Action
  /// The frequency of the tone in Hz; 0 if it was not a single tone.
  package var frequencyHz: Float
  /// The captured level when it was noticed, in dBFS; 0 is a sine of full scale.
  package var levelDecibels: Float
  /// The attenuation in dB, at that frequency or (`ducked`) of the whole output.
  package var depthDecibels: Float
  /// Frames rendered since the start.
  package var frame: UInt64

  /// Creates an event.
  @_noLocks
  package init(
    action: Action, frequencyHz: Float, levelDecibels: Float, depthDecibels: Float, frame: UInt64
  ) {
    self.action = action
    self.frequencyHz = frequencyHz
    self.levelDecibels = levelDecibels
    self.depthDecibels = depthDecibels
    self.frame = frame
  }
}
