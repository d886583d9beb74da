// FeedbackEvent.swift: the events of feedback suppression. SPDX-License-Identifier: MIT

/// An action of feedback suppression, or its end.
package struct FeedbackEvent: BitwiseCopyable, Sendable, Equatable {
  /// What was done.
  package enum Action: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// A tone was the loop's: it fell when its frequency was taken out, which stays out.
    case notched
    /// The whole output was turned down, as no single tone explained it or too many did.
    case ducked
    /// A notch was removed slowly, and the feedback did not return.
    case released
    /// A tone went on without the loop: the notch was taken away at once, and the tone is left
    /// alone.
    case leftAlone
  }

  /// What was done.
  package var action: Action
  /// The tone; 0 where it was no single one.
  package var frequencyHz: Float
  /// The captured level when it was noticed, in dBFS; 0 is a sine of full scale.
  package var levelDecibels: Float
  /// By how much the output was turned down, at that frequency or (`ducked`) as a whole.
  package var depthDecibels: Float
  /// Frames rendered since the start.
  package var frame: UInt64

  /// All of it.
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
