// RecordingNotices.swift: the notices of recorders. SPDX-License-Identifier: MIT

package import ErrorModel

extension HostNotice {
  /// The ring is full.
  static func recordingLosesFrames(_ path: String) -> HostNotice {
    HostNotice(
      "recordingLosesFrames",
      "The disk is too slow for {path}. Lost frames are silent in the file. Playback is not affected.",
      path)
  }

  /// Another program has removed the file of a take.
  static func recordingRemoved(_ path: String) -> HostNotice {
    HostNotice(
      "recordingRemoved",
      "{path} was deleted during recording. Its content will be lost at the end.", path)
  }

  /// The file ended before the audio did.
  static func recordingFailed(_ path: String, _ error: any Error) -> HostNotice {
    HostNotice("recordingFailed", "{error}", details: ["path": path], error: error)
  }

  /// The next file cannot be created.
  static func recordingNotSplit(_ path: String, _ error: any Error) -> HostNotice {
    HostNotice(
      "recordingNotSplit", "{error} Recording continues in {path}.", path, error: error)
  }

  /// A recorder with other settings cannot continue the recording.
  static func recordingNotContinued(_ path: String, _ error: any Error) -> HostNotice {
    HostNotice(
      "recordingNotContinued", "{error} The recording so far is in {path}.", path, error: error)
  }

  /// The list of marks cannot be written.
  static func marksNotWritten(_ path: String, to labels: String, reason: String) -> HostNotice {
    HostNotice(
      "marksNotWritten", "Marks of {path} could not be written to {labels} ({reason}).", path,
      labels, reason)
  }
}

extension RecordingReport {
  /// The notice at the end.
  package var summary: HostNotice {
    guard isFinished else {
      return HostNotice(
        "recordingIncomplete",
        "{path} could not be completed because the disk stalled. Data written before is kept.",
        path)
    }
    guard frameCount > 0 else {
      return HostNotice(
        "recordingEmpty", "{path} was deleted because it received no audio.", path)
    }
    guard !isLost else {
      return HostNotice(
        "recordingLost", "{path} was deleted during recording. {seconds} s lost.", path,
        Self.tenths(seconds))
    }
    var losses = ""
    if lostFrameCount == 1 {
      losses += ", 1 frame lost"
    } else if lostFrameCount > 0 {
      let milliseconds = Double(lostFrameCount) / Double(sampleRateHz) * 1_000
      losses += ", \(lostFrameCount) frames (\(Self.tenths(milliseconds)) ms) lost"
    }
    if clippedSampleCount > 0 {
      losses += ", \(clippedSampleCount) \(clippedSampleCount == 1 ? "sample" : "samples") clipped"
    }
    return HostNotice(
      "recordingEnded", "{path}: {seconds} s recorded\(losses).", path, Self.tenths(seconds),
      details: ["lostFrames": "\(lostFrameCount)", "clippedSamples": "\(clippedSampleCount)"])
  }
}
