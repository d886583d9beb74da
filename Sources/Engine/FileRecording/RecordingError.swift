// RecordingError.swift: errors of recorder commands. SPDX-License-Identifier: MIT

package import ErrorModel

/// The reason why a recorder cannot execute a command.
package enum RecordingError: Equatable {
  /// A placeholder in a file name is unknown.
  case unknownWord(path: String, word: String)
  /// The next take would have the name of one that is there.
  case nameExists(path: String)
  /// The recorder is already recording.
  case alreadyRecording(path: String)
  /// The recorder is already paused.
  case paused(path: String)
  /// The recording is to continue but is not paused.
  case notPaused(path: String)
  /// There is no recording to stop, pause or mark.
  case notRecording

  package var description: String {
    switch self {
    case .unknownWord(let path, let word):
      "\(path) has %\(word) in its name, which is not a placeholder."
        + " Use \(TakeFileName.placeholders.dropLast().map { "%\($0)" }.joined(separator: ", ")) and"
        + " %\(TakeFileName.placeholders.last ?? ""). %% is a percent sign."
    case .nameExists(let path):
      "\(path) already exists; recordings never overwrite files. Use %take for numbered takes,"
        + " e.g. take-%take.wav."
    case .alreadyRecording(let path): "\(path) is already being recorded. Stop it first."
    case .paused(let path): "\(path) is already paused."
    case .notPaused(let path): "\(path) is not paused."
    case .notRecording: "nothing is being recorded."
    }
  }
}

extension RecordingError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
