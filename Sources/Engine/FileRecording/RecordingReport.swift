// RecordingReport.swift: the state of a recording. SPDX-License-Identifier: MIT

/// The state of a recording, active or ended.
package struct RecordingReport: Sendable, Equatable {
  /// The file.
  package let path: String
  /// Samples in a frame.
  package let channelCount: Int
  /// Frames a second.
  package let sampleRateHz: Int
  /// Frames in the file, those that are silent because they were lost included.
  package internal(set) var frameCount = 0
  /// Frames that were lost, whether they are silent in the file or came after its end.
  package internal(set) var lostFrameCount = 0
  /// Samples beyond full scale that were clipped; always 0 for floating point.
  package internal(set) var clippedSampleCount = 0
  /// The message why the file ended before the audio did; nil if it did not.
  package internal(set) var failure: String?
  /// Whether all is written and the file is closed.
  package internal(set) var isFinished = false

  /// Whether the file had lost its name, and with it all that was in it, when it was ended.
  package internal(set) var isLost = false

  /// The length of the file, in seconds.
  package var seconds: Double { Double(frameCount) / Double(sampleRateHz) }

  /// The length, for a message.
  var length: String { "\(Self.tenths(seconds)) s" }

  static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
